// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel coordinates of all axes, with brushes.

function drawParallel(chart) {
    const inside = C.id.map((id, i) => i).filter(i => C.mean[i] !== null);
    const kept = shownConfigs();
    if (!kept.length) return nothing(chart);
    const frame = el('div', { class: 'sideways', tabindex: '0', role: 'region' });
    frame.setAttribute('aria-label', 'All axes');
    chart.node.append(frame);
    const width = Math.max(chart.width, 76 * D.axis_order.length + 112);
    const s = surface(chart, width, 400, 'Parallel coordinates of all axes', frame);
    const box = boxOf(s, 50, 62, 62, 16);
    const x = d3.scalePoint(d3.range(D.axis_order.length + 1), [box.left, box.right]);
    const means = inside.map(i => C.mean[i]);
    const heights = D.sweep.maximize ? [box.bottom, box.top] : [box.top, box.bottom];
    const y = d3.scaleLinear(rangeOf(means, 0.02), heights).clamp(true);
    const columns = D.axis_order.map(a => parallelColumn(a, box, inside));
    const last = x(columns.length);
    const lineOf = i =>
        columns.map((column, n) => `${x(n).toFixed(1)},${column.at(i).toFixed(1)}`).join('L');
    const d = i => `M${lineOf(i)}L${last.toFixed(1)},${y(C.mean[i]).toFixed(1)}`;
    const away = inside.filter(i => !shown[i]);
    path(s.root, thin(away, 1500).map(d).join(''), 'away-line');
    parallelLines(s, kept.slice().reverse(), d, colours(means, true));
    inside.filter(isSelected).forEach(i => path(s.root, d(i), 'picked'));
    columns.forEach((column, n) => parallelAxis(s, D.axis_order[n], x(n), box, column));
    parallelScore(s, last, y, box);
    markConfigs(s, kept, i => [last, y(C.mean[i])], configTip);
    s.reveal = () => frame.scrollTo(frame.scrollWidth, 0);
    if (s.width > chart.width) chart.note = 'Scroll sideways to see all axes. ';
    s.hit = (px, py) => nearestLine(s.marks, columns, { px, py, left: box.left, step: x.step() });
}

// The mark of the line that passes within 6 pixels of a point.
function nearestLine(marks, columns, at) {
    const across = (at.px - at.left) / at.step;
    const column = Math.min(columns.length - 1, Math.max(0, Math.floor(across)));
    const part = across - column;
    const height = mark => {
        const from = columns[column].at(mark.config);
        const to = column + 1 < columns.length ? columns[column + 1].at(mark.config) : mark.y;
        return Math.abs(from + (to - from) * part - at.py);
    };
    const nearest = marks.reduce(
        (best, mark) => (height(mark) < best.height ? { mark, height: height(mark) } : best),
        { mark: null, height: 6 }
    );
    return nearest.mark;
}

// Every k-th of a list, so that at most about n are left.
function thin(list, n) {
    const step = Math.ceil(list.length / n);
    return step <= 1 ? list : list.filter((v, k) => k % step === 0);
}

// Places of an axis: equal steps, the largest value above. Lines of one value spread by score.
function parallelColumn(a, box, inside) {
    const ks = AXES[a].levels.map((v, k) => k);
    if (inside.some(i => C.level[a][i] < 0)) ks.unshift(-1);
    const point = d3.scalePoint(ks, [box.bottom, box.top]).padding(0.5);
    const spread = Math.min(24, point.step() * 0.6);
    const at = i => point(C.level[a][i]) + (i / Math.max(1, N - 1) - 0.5) * spread;
    return { ks, point, spread, at };
}

// One path for the lines of each of 13 colours.
function parallelLines(s, order, d, colour) {
    const range = colour.best - colour.worst;
    const groups = new Map();
    thin(order, 4000).forEach(i => {
        const step = Math.round((12 * (C.mean[i] - colour.worst)) / (range || 1));
        const c = colour(colour.worst + (step / 12) * range);
        groups.set(c, (groups.get(c) || '') + d(i));
    });
    const opacity = Math.max(0.15, Math.min(0.9, 60 / order.length));
    groups.forEach((lines, c) =>
        path(s.root, lines, null)
            .attr('fill', 'none')
            .attr('stroke', c)
            .attr('stroke-width', order.length > 500 ? 0.8 : 1.4)
            .attr('stroke-opacity', opacity)
    );
}

function parallelAxis(s, a, x, box, column) {
    const { ks, point, spread } = column;
    line(s.root, x, box.top, x, box.bottom, 'rule');
    axisName(s, a, x, box.top - 10, 14, 'strong', 'middle');
    const every = Math.ceil(14 / point.step());
    ks.forEach((k, n) => {
        const label = clip(levelText(a, k), 12);
        if (n % every === 0) text(s.root, x - 7, point(k) + 4, label, 'halo small', 'end');
        if (state.levels[a] && state.levels[a].has(k))
            rect(s.root, x - 6, point(k) - spread / 2, 12, spread, 'brush');
    });
    brush(s, a, x, box, column);
}

// Drag along an axis to keep the values passed over. A click keeps one value, or all again.
function brush(s, a, x, box, column) {
    const area = rect(s.root, x - 14, box.top, 28, box.bottom - box.top, 'brushable').node();
    const place = event => event.clientY - area.getBoundingClientRect().top + box.top;
    let from = null;
    area.addEventListener('pointerdown', event => {
        from = place(event);
        area.setPointerCapture(event.pointerId);
        event.preventDefault();
    });
    area.addEventListener('pointermove', event => {
        if (from === null) return;
        s.root.selectAll('.drag').remove();
        const to = place(event);
        rect(s.root, x - 8, Math.min(from, to), 16, Math.abs(to - from), 'brush drag');
    });
    area.addEventListener('pointerup', event => {
        if (from === null) return;
        keepLevels(a, column, Math.min(from, place(event)), Math.max(from, place(event)));
        from = null;
    });
    area.addEventListener('click', event => event.stopPropagation());
}

function keepLevels(a, column, low, high) {
    const click = high - low < 4;
    const reach = click ? column.point.step() / 2 : 0;
    const kept = column.ks.filter(
        k => column.point(k) >= low - reach && column.point(k) <= high + reach
    );
    const again = click && state.levels[a] && kept.every(k => state.levels[a].has(k));
    state.levels[a] =
        again || !kept.length || kept.length === column.ks.length ? null : new Set(kept);
    changed();
}

function parallelScore(s, x, y, box) {
    line(s.root, x, box.top, x, box.bottom, 'rule');
    text(s.root, x, box.top - 10, clip(D.sweep.metric, 14), 'strong', 'middle');
    y.ticks(6).forEach(t => {
        line(s.root, x, y(t), x + 5, y(t), 'rule');
        text(s.root, x + 8, y(t) + 4, tickOf(y, 6)(t), 'quiet small');
    });
}

charts.push({
    id: 'parallel',
    draw: drawParallel,
    options: [
        {
            key: 'top',
            label: 'show',
            choices: () =>
                [100, 50, 25, 10, 5, 1].map(v => [
                    String(v),
                    v === 100 ? 'all' : 'top ' + v + ' %'
                ])
        }
    ]
});
