// SPDX-License-Identifier: BSD-3-Clause
//
// Scores on the validation parts and on the test part.

// The objective's metric on the validation parts and on the test part, on one scale. Others are in
// the table. The two deviations differ in kind, so their lines do.
function drawTest(chart) {
    const test = D.test.find(row => row.metric === D.sweep.metric) || D.test[0];
    const i = indexOf.get(D.choice.chosen);
    const isProgram = D.sweep.task === 'none'; // which samples it took is unknown
    const same = D.predictions && D.predictions.same_samples;
    const row = (label, { mean, sd, n }, which, look) => {
        const spread = isProgram ? plural(n, 'trial') : plural(n, 'model') + which;
        return { label, mean, sd, n, spread, ...look };
    };
    const look = { shape: 3, series: 's1', line: ' stroke dashed' };
    const rows = [row('test', test, ' on the same samples', look)];
    if (i !== undefined && test.metric === D.sweep.metric && C.mean[i] !== null)
        rows.unshift(
            row(
                isProgram ? 'objective' : 'validation',
                { mean: C.mean[i], sd: C.sd[i], n: C.n[i] },
                same ? ' on the same samples' : ', each on its own samples',
                { shape: 0, series: 's0', line: ' stroke' }
            )
        );
    const s = surface(
        chart,
        Math.min(640, chart.width),
        34 + 52 * rows.length + 34,
        'Validation and test score of the chosen configuration'
    );
    const box = boxOf(s, 84, 4, 60, 44);
    const ends = rows.flatMap(r => [r.mean - (r.sd || 0), r.mean + (r.sd || 0)]);
    const x = d3.scaleLinear(rangeOf(ends, 0.2), [box.left, box.right]);
    axisX(s.root, box, x, test.metric);
    rows.forEach((r, n) => {
        const y = box.top + 30 + 52 * n;
        text(s.root, box.left - 10, y + 4, r.label, null, 'end');
        if (r.sd) {
            line(s.root, x(r.mean - r.sd), y, x(r.mean + r.sd), y, r.series + r.line);
            text(s.root, box.left, y + 22, `\u00b1 sd of ${r.spread}`, 'quiet small halo');
        }
        dots(s.root, [[x(r.mean), y]], 5, r.shape, r.series + ' fill');
        text(s.root, x(r.mean), y - 11, score(r.mean), 'strong halo', 'middle');
        const sd = r.sd === null ? '' : 'standard deviation ' + score(r.sd);
        s.marks.push({
            key: r.label,
            x: x(r.mean),
            y,
            tip: () => [r.label, test.metric + ' ' + score(r.mean), sd, plural(r.n, 'trial')]
        });
    });
}

charts.push({ id: 'test', draw: drawTest, options: [] });
