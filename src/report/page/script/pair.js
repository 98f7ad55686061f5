// SPDX-License-Identifier: BSD-3-Clause
//
// Heat map of two axes.

function drawPair(chart, view) {
    const a = Math.min(AXES.length - 1, Number(view.x));
    const b = Math.min(AXES.length - 1, Number(view.y));
    const cells = pairCells(a, b, view.value);
    if (a !== b) pairTable(a, b);
    if (a === b || !cells.size)
        return nothing(chart, a === b ? 'Choose two different axes.' : undefined);
    const nx = AXES[a].levels.length;
    const ny = AXES[b].levels.length;
    const left =
        Math.max(
            textWidth(AXES[b].name),
            ...AXES[b].levels.map((v, k) => textWidth(clip(levelText(b, k), 16)))
        ) + 16;
    const w = Math.min(110, (chart.width - left - 20) / nx);
    const h = Math.max(22, Math.min(40, 400 / ny));
    const s = surface(
        chart,
        chart.width,
        66 + ny * h + 48,
        'Scores by ' + AXES[a].name + ' and ' + AXES[b].name
    );
    const at = (kx, ky) => [left + kx * w, 66 + (ny - 1 - ky) * h];
    const colour = colours([...cells.values()].map(cell => cell.value));
    legend(
        s.root,
        left,
        15,
        colour,
        D.sweep.metric + (view.value === 'best' ? ', best of the pair' : ', mean of the pair')
    );
    pairAxes(s, a, b, at, w, h, left);
    d3.range(ny).forEach(ky =>
        d3
            .range(nx)
            .forEach(kx =>
                pairCell(s, cells.get(kx + ',' + ky), kx, ky, { a, b, at, w, h, colour })
            )
    );
    pairBadge(chart, s, a, b, at, w, h);
    return undefined;
}

// For each pair of levels the mean or best score of the shown complete configurations, and the best
// of them.
function pairCells(a, b, kind, all) {
    const cells = new Map();
    for (let i = 0; i < N; i++) {
        if (!(all || shown[i]) || !C.complete[i] || C.mean[i] === null || C.level[a][i] < 0 || C.level[b][i] < 0) continue;
        const key = C.level[a][i] + ',' + C.level[b][i];
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
    AXES[a].levels.forEach((v, k) => {
        if (w > 26 || k % Math.ceil(30 / w) === 0)
            text(
                s.root,
                at(k, 0)[0] + w / 2,
                at(0, 0)[1] + h + 16,
                fit(levelText(a, k), Math.max(24, w)),
                null,
                'middle'
            );
    });
    AXES[b].levels.forEach((v, k) =>
        text(s.root, left - 8, at(0, k)[1] + h / 2 + 4, clip(levelText(b, k), 16), null, 'end')
    );
    text(s.root, 0, 58, '\u2191 ' + AXES[b].name, 'quiet');
    text(
        s.root,
        left + AXES[a].levels.length * w,
        at(0, 0)[1] + h + 36,
        AXES[a].name + ' \u2192',
        'quiet',
        'end'
    );
}

function pairCell(s, cell, kx, ky, l) {
    const [x, y] = l.at(kx, ky);
    const fill = cell ? l.colour(cell.value) : null;
    s.root
        .append('rect')
        .attr('class', cell ? 'cell' : 'nothing')
        .attr('fill', fill)
        .attr('x', x)
        .attr('y', y)
        .attr('width', l.w)
        .attr('height', l.h);
    if (!cell) return;
    if (l.w > 44)
        text(s.root, x + l.w / 2, y + l.h / 2 + 4, score(cell.value), inkOn(fill), 'middle');
    if (cell.picked)
        s.root
            .append('rect')
            .attr('class', 'picked')
            .attr('x', x + 2)
            .attr('y', y + 2)
            .attr('width', l.w - 4)
            .attr('height', l.h - 4);
    s.marks.push({
        key: kx + '.' + ky,
        config: cell.first,
        x: x + l.w / 2,
        y: y + l.h / 2,
        w: l.w,
        h: l.h,
        tip: () => [
            AXES[l.a].name +
                ' ' +
                levelText(l.a, kx) +
                ', ' +
                AXES[l.b].name +
                ' ' +
                levelText(l.b, ky),
            score(cell.value),
            plural(cell.n, 'configuration') + ', best ' + name(cell.first)
        ]
    });
    s.hit = (px, py) =>
        s.marks.find(m => Math.abs(m.x - px) < l.w / 2 && Math.abs(m.y - py) < l.h / 2);
}

// A badge on the cell of the best configuration; the caption says if it lies on the edge of the
// grid.
function pairBadge(chart, s, a, b, at, w) {
    const best = indexOf.get(D.choice.best);
    if (best === undefined) return;
    const none = [a, b].find(n => C.level[n][best] < 0);
    if (none !== undefined) {
        chart.note =
            'The best configuration, ' +
            name(best) +
            ' (' +
            D.types[C.type[best]] +
            '), has no ' +
            AXES[none].name +
            ' and is in no cell. ';
        return;
    }
    const [x, y] = at(C.level[a][best], C.level[b][best]);
    dots(s.root, [[x + w - 9, y + 9]], 4.5, 3, 's1 fill halo');
    const edges = [a, b].map(n => edgeOf(n, C.level[n][best])).filter(t => t);
    chart.note =
        'The diamond marks the best configuration (' +
        name(best) +
        '). ' +
        (edges.length
            ? 'It lies on the edge of the grid: ' +
              edges.join(', and ') +
              '. A better value may lie beyond. '
            : [a, b].some(n => AXES[n].numeric)
              ? 'It lies inside the grid. '
              : '');
}

function edgeOf(a, k) {
    const n = AXES[a].levels.length;
    if (!AXES[a].numeric || n < 2 || (k > 0 && k < n - 1)) return '';
    return (
        AXES[a].name + ' ' + levelText(a, k) + ' is the ' + (k ? 'largest' : 'smallest') + ' value'
    );
}

// Show the pair of the chart in the table, too: of all complete configurations, as stored.
function pairTable(a, b) {
    const table = tables.find(one => one.id === 'pair');
    if (!table) return;
    const cells = pairCells(a, b, 'mean', true);
    const pairs = [].concat(
        ...AXES[a].levels.map((v, ka) => AXES[b].levels.map((w, kb) => [ka, kb]))
    );
    const rows = pairs
        .filter(pair => cells.has(pair.join(',')))
        .map(pair => {
            const cell = cells.get(pair.join(','));
            return [
                String(AXES[a].levels[pair[0]]),
                String(AXES[b].levels[pair[1]]),
                String(cell.n),
                tableNumber(cell.value),
                tableNumber(C.mean[cell.first])
            ];
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
            choices: () => [
                ['mean', 'mean of configurations'],
                ['best', 'best configuration']
            ]
        }
    ]
});
