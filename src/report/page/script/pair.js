// SPDX-License-Identifier: BSD-3-Clause
//
// Heat map of two axes.

function drawPair(chart, view) {
    if (!D.grid) return drawPlane(chart, view);
    const a = Math.min(AXES.length - 1, Number(view.x));
    const b = Math.min(AXES.length - 1, Number(view.y));
    const cells = pairCells(a, b, view.value);
    if (a !== b) pairTable(a, b);
    if (a === b || !cells.size)
        return nothing(chart, a === b ? 'Choose two different axes.' : undefined);
    const nx = AXES[a].levels.length;
    const ny = AXES[b].levels.length;
    const names = AXES[b].levels.map((v, k) => clip(levelText(b, k), 16));
    const left = Math.max(...names.concat(AXES[b].name).map(textWidth)) + 16;
    const w = Math.min(110, (chart.width - left - 20) / nx);
    const h = Math.max(22, Math.min(40, 400 / ny));
    const title = `Scores by ${AXES[a].name} and ${AXES[b].name}`;
    const s = surface(chart, chart.width, 66 + ny * h + 48, title);
    const at = (kx, ky) => [left + kx * w, 66 + (ny - 1 - ky) * h];
    const colour = colours([...cells.values()].map(cell => cell.value));
    const kind = view.value === 'best' ? 'best' : 'mean';
    legend(s.root, left, 15, colour, `${D.sweep.metric}, ${kind} of the pair`);
    pairAxes(s, a, b, at, w, h, left);
    d3.cross(d3.range(ny), d3.range(nx)).forEach(([ky, kx]) =>
        pairCell(s, cells.get(kx + ',' + ky), kx, ky, { a, b, at, w, h, colour })
    );
    s.hit = (x, y) => s.marks.find(m => Math.abs(m.x - x) < w / 2 && Math.abs(m.y - y) < h / 2);
    pairBadge(chart, s, a, b, at, w);
}

// For each pair of levels the mean or best score of the shown complete configurations, and the best
// of them.
function pairCells(a, b, kind, all) {
    const cells = new Map();
    for (let i = 0; i < N; i++) {
        const levels = [C.level[a][i], C.level[b][i]];
        const isCounted = (all || shown[i]) && C.complete[i] && C.mean[i] !== null;
        if (!isCounted || levels.includes(-1)) continue;
        const key = levels.join(',');
        const cell = cells.get(key) || { first: i, n: 0, sum: 0, picked: false };
        cell.n++;
        cell.sum += C.mean[i];
        cell.picked = cell.picked || isSelected(i);
        cells.set(key, cell);
    }
    cells.forEach(cell => {
        cell.value = kind === 'best' ? C.mean[cell.first] : cell.sum / cell.n;
    });
    return cells;
}

function pairAxes(s, a, b, at, w, h, left) {
    const bottom = at(0, 0)[1] + h;
    AXES[a].levels.forEach((v, k) => {
        const label = fit(levelText(a, k), Math.max(24, w));
        if (w > 26 || k % Math.ceil(30 / w) === 0)
            text(s.root, at(k, 0)[0] + w / 2, bottom + 16, label, null, 'middle');
    });
    AXES[b].levels.forEach((v, k) =>
        text(s.root, left - 8, at(0, k)[1] + h / 2 + 4, clip(levelText(b, k), 16), null, 'end')
    );
    text(s.root, 0, 58, '\u2191 ' + AXES[b].name, 'quiet');
    const right = left + AXES[a].levels.length * w;
    text(s.root, right, bottom + 36, AXES[a].name + ' \u2192', 'quiet', 'end');
}

function pairCell(s, cell, kx, ky, { a, b, at, w, h, colour }) {
    const [left, top] = at(kx, ky);
    const [x, y] = [left + w / 2, top + h / 2];
    const fill = cell ? colour(cell.value) : null;
    rect(s.root, left, top, w, h, cell ? 'cell' : 'nothing').attr('fill', fill);
    if (!cell) return;
    if (w > 44) text(s.root, x, y + 4, score(cell.value), inkOn(fill), 'middle');
    if (cell.picked) rect(s.root, left + 2, top + 2, w - 4, h - 4, 'picked');
    s.marks.push({
        key: kx + '.' + ky,
        config: cell.first,
        x,
        y,
        w,
        h,
        tip: () => [
            `${AXES[a].name} ${levelText(a, kx)}, ${AXES[b].name} ${levelText(b, ky)}`,
            score(cell.value),
            plural(cell.n, 'configuration') + ', best ' + name(cell.first)
        ]
    });
}

// A badge on the cell of the best configuration; the caption says if it lies on the edge of the
// grid.
function pairBadge(chart, s, a, b, at, w) {
    const best = indexOf.get(D.choice.best);
    if (best === undefined) return;
    const none = [a, b].find(n => C.level[n][best] < 0);
    if (none !== undefined) {
        const which = `${name(best)} (${D.types[C.type[best]]})`;
        const lacks = `has no ${AXES[none].name} and is in no cell`;
        chart.note = `The best configuration, ${which}, ${lacks}. `;
        return;
    }
    const [x, y] = at(C.level[a][best], C.level[b][best]);
    dots(s.root, [[x + w - 9, y + 9]], 4.5, 3, 's1 fill halo');
    const edges = [a, b].map(n => edgeOf(n, C.level[n][best])).filter(t => t);
    chart.note = `The diamond marks the best configuration (${name(best)}). `;
    if (edges.length)
        chart.note +=
            `It lies on the edge of the grid: ${edges.join(', and ')}. ` +
            'A better value may lie beyond. ';
    else if ([a, b].some(n => AXES[n].numeric)) chart.note += 'It lies inside the grid. ';
}

function edgeOf(a, k) {
    const n = AXES[a].levels.length;
    if (!AXES[a].numeric || n < 2 || (k > 0 && k < n - 1)) return '';
    return `${AXES[a].name} ${levelText(a, k)} is the ${k ? 'largest' : 'smallest'} value`;
}

// Show the pair of the chart in the table, too: of all complete configurations, as stored.
function pairTable(a, b) {
    const table = tables.find(one => one.id === 'pair');
    if (!table) return;
    const cells = pairCells(a, b, 'mean', true);
    const ks = n => d3.range(AXES[n].levels.length);
    const rows = d3
        .cross(ks(a), ks(b))
        .filter(pair => cells.has(pair.join(',')))
        .map(pair => {
            const cell = cells.get(pair.join(','));
            const means = [cell.value, C.mean[cell.first]].map(tableNumber);
            return [AXES[a].levels[pair[0]], AXES[b].levels[pair[1]], cell.n, ...means].map(String);
        });
    setHead(table, 0, AXES[a].name);
    setHead(table, 1, AXES[b].name);
    table.node
        .closest('details')
        .querySelectorAll(':scope > p')
        .forEach(n => n.remove());
    table.rows = rows.map(row =>
        el('tr', null, ...row.map((v, n) => el('td', { class: n < 2 ? null : 'number' }, v)))
    );
    table.body.replaceChildren(...table.rows);
    table.sorted = '';
    sortTable(table);
}

charts.push({
    id: 'pair',
    draw: drawPair,
    options: [
        { key: 'x', label: 'across', choices: axisChoices },
        { key: 'y', label: 'up', choices: axisChoices, initial: String(D.axis_order[1]) },
        {
            key: 'value',
            label: 'show',
            choices: () =>
                [
                    ['mean', 'mean of configurations'],
                    ['best', 'best configuration']
                ].slice(0, D.grid ? 2 : 1)
        }
    ]
});
