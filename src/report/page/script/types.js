// SPDX-License-Identifier: BSD-3-Clause
//
// The best configuration of each model type, fold by fold.

function drawTypes(chart) {
    const best = D.types.map((type, t) =>
        C.id.findIndex((id, i) => shown[i] && C.type[i] === t && C.mean[i] !== null)
    );
    const used = D.types.map((type, t) => t).filter(t => best[t] >= 0);
    if (!used.length) return nothing(chart);
    used.sort((p, q) => best[p] - best[q]);
    const s = surface(chart, chart.width, 360, 'Best configuration of each model type by fold');
    const box = boxOf(s, 54, 40, 20, 60);
    const slots = D.slots.map((slot, n) => n);
    const values = used.flatMap(t => D.value.map(row => row[best[t]]));
    const y = d3.scaleLinear(rangeOf(values, 0.08), [box.bottom, box.top]).clamp(true);
    const right = Math.min(box.right, box.left + 240 * used.length);
    const x = d3.scalePoint(used, [box.left, right]).padding(0.5);
    axisY(s.root, box, y, scoreLabel());
    slots.forEach(slot => {
        const points = used
            .filter(t => D.value[slot][best[t]] !== null)
            .map(t => [x(t), y(D.value[slot][best[t]])]);
        path(s.root, d3.line()(points), 'away-line');
    });
    used.forEach(t => typeColumn(s, t, best[t], slots, x(t), y, box, x.step()));
    chart.note = 'Short lines are means; \u00b1 is one standard error. ';
    if (used.some(t => !C.complete[best[t]]))
        chart.note +=
            'Some folds have no score, so the means are of different folds: compare by the lines ' +
            'that join two types. ';
}

// How many folds a mean is of, if not of all.
function trialsOf(i) {
    return C.complete[i] ? '' : ', ' + C.n[i] + ' of ' + d3.max(C.n) + ' trials';
}

function typeColumn(s, t, i, slots, x, y, box, room) {
    const there = slots.filter(slot => D.value[slot][i] !== null);
    const points = there.map(slot => [x, y(D.value[slot][i])]);
    const series = 's' + (t % 5);
    const mean = y(C.mean[i]);
    const below = `mean ${plusMinus(C.mean[i], C.se[i])}${trialsOf(i)}`;
    dots(s.root, points, 4, t, series + ' fill');
    line(s.root, x - 26, mean, x + 26, mean, series + ' stroke');
    text(s.root, x + 30, mean + 4, score(C.mean[i]), 'strong halo');
    text(s.root, x, box.bottom + 18, fit(D.types[t] + ', ' + name(i), room), 'strong', 'middle');
    if (room > 120) text(s.root, x, box.bottom + 34, fit(below, room), 'quiet small', 'middle');
    if (isSelected(i)) dots(s.root, points, 6, 0, 'picked');
    there.forEach((slot, n) =>
        s.marks.push({
            key: t + '.' + slot,
            config: i,
            x,
            y: points[n][1],
            tip: () => [
                D.types[t] + ', ' + slotName(slot),
                D.sweep.metric + ' ' + score(D.value[slot][i]),
                ...configTip(i)
            ]
        })
    );
}

charts.push({ id: 'types', draw: drawTypes, options: [] });
