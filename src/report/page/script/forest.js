// SPDX-License-Identifier: BSD-3-Clause
//
// Forest plot: difference of each configuration to the best. Only rows in sight are drawn.

const ROW = 20;

function drawForest(chart, view) {
    const order = C.id.map((id, i) => i).filter(i => shown[i] && C.diff[i] !== null);
    if (view.sort === 'cost') order.sort((i, j) => C.seconds[i] - C.seconds[j]);
    if (view.sort === 'id') order.sort((i, j) => C.id[i] - C.id[j]);
    const rows = view.rows === 'all' ? order : order.slice(0, Number(view.rows));
    if (!rows.length) return nothing(chart);
    const columns = forestColumns(chart, rows);
    const scroller = el('div', { class: 'scroller' });
    chart.node.append(scroller);
    forestHead(chart, columns, scroller);
    const title = 'Differences to the best configuration';
    const s = surface(chart, chart.width, rows.length * ROW + 4, title, scroller);
    line(s.root, columns.x(0), 0, columns.x(0), s.height, 'rule');
    const body = s.root.append('g');
    s.marks = rows.map((i, r) => ({
        key: 'c' + C.id[i],
        config: i,
        x: columns.x(C.diff[i]),
        y: (r + 0.5) * ROW,
        tip: () => forestTip(i)
    }));
    s.hit = (x, y) => s.marks[Math.floor(y / ROW)];
    s.reveal = mark => {
        const top = mark.y - ROW;
        if (top < scroller.scrollTop) scroller.scrollTop = top;
        if (top + 5 * ROW > scroller.scrollTop + scroller.clientHeight)
            scroller.scrollTop = top + 5 * ROW - scroller.clientHeight;
    };
    const render = () => forestRows(body, rows, columns, scroller.scrollTop);
    scroller.addEventListener('scroll', () => {
        chart.panel.scrolled = scroller.scrollTop;
        requestAnimationFrame(render);
    });
    scroller.scrollTop = chart.panel.scrolled || 0;
    render();
    if (rows.length < order.length)
        chart.note = `The first ${rows.length} of ${plural(order.length, 'configuration')}. `;
    if (rows.some(i => !C.complete[i]))
        chart.note += 'Hollow: some trials of the configuration have no score. ';
}

// Columns of the forest plot: name, the values of the axes where there is room, the plot, the mean.
function forestColumns(chart, rows) {
    const wide = chart.width >= 560;
    const some = rows.slice(0, 400);
    let left = Math.max(36, ...some.map(i => textWidth(name(i)))) + 14;
    const narrow = left;
    const axes = [];
    AXES.forEach((axis, a) => {
        const texts = axis.levels.map((v, k) => clip(levelText(a, k), 14));
        const width = Math.max(...axis.name.split('_').concat(texts).map(textWidth)) + 14;
        axes.push({ a, left, width });
        left += width;
    });
    const room = wide && left < chart.width * 0.45;
    const box = { left: (room ? left : narrow) + 10, right: chart.width - (wide ? 108 : 12) };
    const values = some.flatMap(i => [C.low[i], C.high[i], C.diff[i]]);
    const folds = rangeOf(some.flatMap(foldDifferences), 0);
    const [low, high] = d3.extent(values.concat(folds).filter(v => v !== null));
    const pad = (high - low) * 0.04 || 0.5;
    const x = d3.scaleLinear([low - pad, high + pad], [box.left, box.right]).clamp(true);
    return { axes: room ? axes : [], box, x, means: wide };
}

function foldDifferences(i) {
    const best = indexOf.get(D.choice.best);
    if (best === undefined) return [];
    return D.value
        .map(row => (row[i] === null || row[best] === null ? null : row[i] - row[best]))
        .filter(v => v !== null);
}

function forestHead(chart, columns, scroller) {
    const head = el('div', { class: 'head' });
    scroller.append(head);
    const s = surface(chart, chart.width, 62, 'Columns of the forest plot', head);
    const { box, x } = columns;
    columns.axes.forEach(({ a, left }) => axisName(s, a, left, 56, Infinity, 'quiet'));
    text(s.root, 4, 56, 'id', 'quiet');
    if (columns.means) text(s.root, s.width - 4, 56, 'mean \u00b1 se', 'quiet', 'end');
    text(s.root, box.left, 14, 'difference to the best, ' + D.sweep.metric, 'quiet');
    const right = D.sweep.maximize ? 'better \u2192' : 'worse \u2192';
    if (box.right - box.left > 340) text(s.root, box.right, 14, right, 'quiet', 'end');
    const n = Math.max(2, Math.floor((box.right - box.left) / 70));
    x.ticks(n).forEach(t => {
        text(s.root, x(t), 48, tickOf(x, n)(t), 'quiet', 'middle');
        line(s.root, x(t), 54, x(t), 60, 'rule');
    });
    line(s.root, box.left, 60.5, box.right, 60.5, 'rule');
}

// Draw the rows near the visible part, so that a list of thousands scrolls smoothly.
function forestRows(body, rows, columns, top) {
    body.selectAll('*').remove();
    const from = Math.max(0, Math.floor(top / ROW) - 15);
    rows.slice(from, from + 65).forEach((i, r) =>
        forestRow(body, i, (from + r + 0.5) * ROW, columns)
    );
}

function forestRow(body, i, y, columns) {
    const { x, box } = columns;
    const strong = isSelected(i) || C.id[i] === D.choice.chosen ? 'strong' : '';
    if (isSelected(i)) rect(body, 0, y - ROW / 2, box.right + 108, ROW, 'row-tint');
    text(body, 4, y + 4, name(i), strong);
    columns.axes.forEach(({ a, left }) => {
        const level = C.level[a][i];
        text(body, left, y + 4, level < 0 ? '' : clip(levelText(a, level), 14), strong);
    });
    line(body, x(0), y - ROW / 2, x(0), y + ROW / 2, 'rule');
    if (C.low[i] !== null) line(body, x(C.low[i]), y, x(C.high[i]), y, 's0 stroke');
    const folds = foldDifferences(i).map(v => [x(v), y]);
    dots(body, folds, 2.5, 0, 's-quiet hollow');
    if (C.within[i]) dots(body, [[x(C.diff[i]), y]], 7, 0, 's1 stroke');
    dots(body, [[x(C.diff[i]), y]], 4, 0, C.complete[i] ? 's0 fill' : 's0 hollow');
    if (columns.means)
        text(body, box.right + 104, y + 4, plusMinus(C.mean[i], C.se[i]), strong, 'end');
}

function forestTip(i) {
    const lines = configTip(i);
    if (C.low[i] !== null)
        lines.splice(2, 0, `difference ${score(C.diff[i])}, ${interval(C.low[i], C.high[i])}`);
    return lines;
}

charts.push({
    id: 'forest',
    draw: drawForest,
    options: [
        { key: 'rows', label: 'rows', choices: () => ['30', '100', '300', 'all'].map(n => [n, n]) },
        {
            key: 'sort',
            label: 'order',
            choices: () => [
                ['place', 'place'],
                ['cost', 'seconds'],
                ['id', 'id']
            ]
        }
    ]
});
