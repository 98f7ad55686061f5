// SPDX-License-Identifier: BSD-3-Clause
//
// Heat map of configurations (columns) and folds (rows).

function drawFolds(chart, view) {
    const slots = D.slots.map((slot, s) => s);
    const means = D.value.map(row => d3.mean(row.filter((v, i) => v !== null && shown[i])));
    if (view.rows === 'score') slots.sort((a, b) => SIGN * d3.ascending(means[a], means[b]));
    const order = C.id
        .map((id, i) => i)
        .filter(i => shown[i] && D.value.some(row => row[i] !== null));
    if (!order.length) return nothing(chart);
    if (view.columns !== 'place') order.sort((i, j) => byValue(D.value[view.columns], i, j));
    const value = (s, i) => {
        const v = D.value[s][i];
        return view.colour === 'score' || v === null ? v : v - means[s];
    };
    const left = Math.max(...slots.map(s => 1.1 * textWidth(clip(slotName(s), 22)))) + 16;
    const right = 54 + Math.max(...means.map(m => textWidth(score(m === undefined ? 0 : m)))) * 1.1;
    const width = chart.width - left - right;
    const most = Math.max(60, Math.floor(8000 / slots.length));
    const bins = binsOf(order, Math.min(Math.floor(width / 2), most));
    const h = Math.max(9, Math.min(28, 460 / slots.length));
    const title = 'Scores of configurations by fold';
    const s = surface(chart, chart.width, 44 + slots.length * h + 38, title);
    const layout = { left, right, top: 44, w: width / bins.length, h, means };
    const table = slots.map(slot => bins.map(bin => meanOf(bin.map(i => value(slot, i)))));
    const colour = colours(table.flat());
    const what = view.colour === 'score' ? D.sweep.metric : 'difference to the mean of the fold';
    foldCells(s, table, bins, slots, layout, colour);
    foldMargin(s, slots, layout);
    legend(s.root, left, 15, colour, what);
    chart.note =
        bins.length < order.length ? `A column is the mean of ${bins[0].length} neighbours. ` : '';
    const sorted = view.columns === 'place' ? 'best first' : 'by ' + slotName(Number(view.columns));
    const label = `${plural(order.length, 'configuration')}, ${sorted} \u2192`;
    text(s.root, s.width - right, s.height - 6, label, 'quiet', 'end');
}

function byValue(row, i, j) {
    if (row[i] === null || row[j] === null) return (row[i] === null) - (row[j] === null);
    return SIGN * (row[j] - row[i]);
}

function meanOf(values) {
    const m = d3.mean(values.filter(v => v !== null));
    return m === undefined ? null : m;
}

// At most n runs of neighbours.
function binsOf(order, n) {
    const size = Math.max(1, Math.ceil(order.length / n));
    return d3.range(0, order.length, size).map(from => order.slice(from, from + size));
}

function foldCells(s, table, bins, slots, layout, colour) {
    const { left, top, w, h } = layout;
    const gap = w > 5 ? 0.5 : 0;
    table.forEach((row, r) =>
        row.forEach((v, b) => {
            const width = Math.max(0.5, w - gap + (gap ? 0 : 0.3));
            const cell = rect(s.root, left + b * w, top + r * h, width, h - 0.5);
            if (v === null) cell.attr('class', 'nothing');
            else cell.attr('fill', colour(v));
            s.marks.push({
                key: slots[r] + '.' + C.id[bins[b][0]],
                config: bins[b][0],
                x: left + (b + 0.5) * w,
                y: top + (r + 0.5) * h,
                w: Math.max(w, 3),
                h,
                tip: () => foldTip(slots[r], bins[b], v)
            });
        })
    );
    s.hit = (x, y) => {
        const b = Math.floor((x - left) / w);
        const r = Math.floor((y - top) / h);
        return b >= 0 && b < bins.length && r >= 0 && r < slots.length
            ? s.marks[r * bins.length + b]
            : null;
    };
    bins.forEach((bin, b) => {
        if (!bin.some(isSelected)) return;
        const below = top + slots.length * h;
        rect(s.root, left + b * w, top, Math.max(w, 2), slots.length * h, 'picked');
        dots(s.root, [[left + (b + 0.5) * w, below + 8]], 4, 2, 's0 fill');
    });
}

function foldTip(s, bin, v) {
    if (bin.length === 1)
        return [
            name(bin[0]) + ', ' + slotName(s),
            v === null ? 'no score' : D.sweep.metric + ' ' + score(D.value[s][bin[0]])
        ].concat(settings(bin[0], '\n').split('\n'));
    const ends = name(bin[0]) + ' to ' + name(bin[bin.length - 1]);
    return [
        slotName(s),
        plural(bin.length, 'configuration') + ', ' + ends,
        'mean ' + (v === null ? 'none' : score(v))
    ];
}

// The mean of each fold beside its row, as a dot and a number. The hardest fold is set in bold.
function foldMargin(s, slots, { left, right, top, h, means }) {
    const at = s.width - right;
    const x = d3.scaleLinear(d3.extent(means), [at + 10, at + 42]);
    const worst = d3.min(means, m => SIGN * m);
    const flat = x.domain()[0] === x.domain()[1];
    text(s.root, s.width - 4, top - 8, 'mean', 'quiet', 'end');
    slots.forEach((slot, r) => {
        const y = top + (r + 0.5) * h;
        const m = means[slot];
        if (m === undefined) return;
        const hardest = SIGN * m === worst && !flat;
        const classes = hardest ? 'strong' : 'quiet';
        if (h >= 12 || r % 2 === 0 || hardest) {
            text(s.root, left - 8, y + 4, clip(slotName(slot), 22), classes, 'end');
            text(s.root, s.width - 4, y + 4, score(m), classes, 'end');
        }
        const series = hardest ? 's1 fill' : 's-quiet fill';
        dots(s.root, [[flat ? at + 26 : x(m), y]], 3, hardest ? 2 : 0, series);
    });
}

function slotChoices() {
    return [['place', 'place']].concat(D.slots.map((slot, s) => [String(s), slotName(s)]));
}

charts.push({
    id: 'folds',
    draw: drawFolds,
    options: [
        { key: 'columns', label: 'columns by', choices: slotChoices },
        {
            key: 'rows',
            label: 'rows by',
            choices: () => [
                ['fold', 'fold'],
                ['score', 'mean, hardest first']
            ]
        },
        {
            key: 'colour',
            label: 'colour',
            choices: () => [
                ['score', 'score'],
                ['relative', 'difference to the mean of the fold']
            ]
        }
    ]
});
