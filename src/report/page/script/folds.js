// SPDX-License-Identifier: BSD-3-Clause
//
// Heat map of configurations (columns) and folds (rows).

function slotMean(s) {
    return d3.mean(D.value[s].filter((v, i) => v !== null && shown[i]));
}

function drawFolds(chart, view) {
    const slots = D.slots.map((slot, s) => s);
    const means = slots.map(slotMean);
    if (view.rows === 'score') slots.sort((a, b) => SIGN * d3.ascending(means[a], means[b]));
    const order = C.id
        .map((id, i) => i)
        .filter(i => shown[i] && D.value.some(row => row[i] !== null));
    if (!order.length) return nothing(chart);
    if (view.columns !== 'place') order.sort((i, j) => byValue(D.value[view.columns], i, j));
    const cells = v =>
        view.colour === 'score'
            ? (s, i) => v(s, i)
            : (s, i) => (v(s, i) === null ? null : v(s, i) - means[s]);
    const value = cells((s, i) => D.value[s][i]);
    const left = Math.max(...slots.map(s => 1.1 * textWidth(clip(slotName(s), 22)))) + 16;
    const right = 54 + Math.max(...means.map(m => textWidth(score(m === undefined ? 0 : m)))) * 1.1;
    const bins = binsOf(
        order,
        Math.min(
            Math.floor((chart.width - left - right) / 2),
            Math.max(60, Math.floor(8000 / slots.length))
        )
    );
    const height = Math.max(9, Math.min(28, 460 / slots.length));
    const s = surface(
        chart,
        chart.width,
        44 + slots.length * height + 38,
        'Scores of configurations by fold'
    );
    const layout = {
        left,
        right,
        top: 44,
        w: (chart.width - left - right) / bins.length,
        h: height,
        means
    };
    const table = slots.map(slot => bins.map(bin => meanOf(bin.map(i => value(slot, i)))));
    const colour = colours([].concat(...table));
    foldCells(s, table, bins, slots, layout, colour);
    foldMargin(s, slots, layout);
    legend(
        s.root,
        left,
        15,
        colour,
        view.colour === 'score' ? D.sweep.metric : 'difference to the mean of the fold'
    );
    chart.note =
        bins.length < order.length
            ? 'A column is the mean of ' + bins[0].length + ' neighbours. '
            : '';
    text(
        s.root,
        s.width - right,
        s.height - 6,
        plural(order.length, 'configuration') +
            (view.columns === 'place' ? ', best first' : ', by ' + slotName(Number(view.columns))) +
            ' \u2192',
        'quiet',
        'end'
    );
    return undefined;
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
            const cell = s.root
                .append('rect')
                .attr('x', left + b * w)
                .attr('y', top + r * h)
                .attr('width', Math.max(0.5, w - gap + (gap ? 0 : 0.3)))
                .attr('height', h - 0.5);
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
        s.root
            .append('rect')
            .attr('class', 'picked')
            .attr('x', left + b * w)
            .attr('y', top)
            .attr('width', Math.max(w, 2))
            .attr('height', slots.length * h);
        if (w > 0)
            dots(s.root, [[left + (b + 0.5) * w, top + slots.length * h + 8]], 4, 2, 's0 fill');
    });
}

function foldTip(s, bin, v) {
    if (bin.length === 1)
        return [
            name(bin[0]) + ', ' + slotName(s),
            v === null ? 'no score' : D.sweep.metric + ' ' + score(D.value[s][bin[0]])
        ].concat(settings(bin[0], '\n').split('\n'));
    return [
        slotName(s),
        plural(bin.length, 'configuration') +
            ', ' +
            name(bin[0]) +
            ' to ' +
            name(bin[bin.length - 1]),
        'mean ' + (v === null ? 'none' : score(v))
    ];
}

// The mean of each fold beside its row, as a dot and a number. The hardest fold is set in bold.
function foldMargin(s, slots, layout) {
    const x = d3
        .scaleLinear()
        .domain(d3.extent(layout.means))
        .range([s.width - layout.right + 10, s.width - layout.right + 42]);
    const worst = d3.min(layout.means, m => SIGN * m);
    const many = layout.h < 12;
    const flat = x.domain()[0] === x.domain()[1];
    text(s.root, s.width - 4, layout.top - 8, 'mean', 'quiet', 'end');
    slots.forEach((slot, r) => {
        const y = layout.top + (r + 0.5) * layout.h;
        const m = layout.means[slot];
        if (m === undefined) return;
        const hardest = SIGN * m === worst && !flat;
        if (!many || r % 2 === 0 || hardest) {
            text(
                s.root,
                layout.left - 8,
                y + 4,
                clip(slotName(slot), 22),
                hardest ? 'strong' : 'quiet',
                'end'
            );
            text(s.root, s.width - 4, y + 4, score(m), hardest ? 'strong' : 'quiet', 'end');
        }
        dots(
            s.root,
            [[flat ? s.width - layout.right + 26 : x(m), y]],
            3,
            hardest ? 2 : 0,
            hardest ? 's1 fill' : 's-quiet fill'
        );
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
