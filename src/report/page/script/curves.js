// SPDX-License-Identifier: BSD-3-Clause
//
// Learning curves of one configuration.

function curveConfigs() {
    return [...new Set(D.curves.map(curve => curve.config))];
}

function curveChoices() {
    return [['auto', 'the selected one, else the choice']].concat(
        curveConfigs().map(id => {
            const i = indexOf.get(id);
            return [String(id), stopOf(i) || `c${id}, place ${C.place[i]}`];
        })
    );
}

const CURVE_PARTS = { train: 'training', val: 'validation', stop: 'stop part' };

// What curves have by name, the objective last, which marks its best epochs.
function curveSeries(curves) {
    const named = D.curve_names.map((series, n) => [series, curve => (curve.more || [])[n] || []]);
    const all = new Map([
        ['train_loss', curve => curve.train_loss],
        ['val_loss', curve => curve.val_loss],
        ...named
    ]);
    all.delete(D.sweep.objective);
    all.set(D.sweep.objective, curve => curve.val_value);
    return [...all]
        .map(([series, of]) => {
            const parts = series.match(/^(train|val|stop)_(.+)$/);
            return {
                of,
                family: parts ? parts[2] : series,
                text: parts ? CURVE_PARTS[parts[1]] : series,
                series: { train: 's1', stop: 's2' }[parts && parts[1]] || 's0'
            };
        })
        .filter(each => curves.some(curve => each.of(curve).some(value => value !== null)));
}

// Loss first, then the objective.
function curveMeasures() {
    const families = [...new Set(curveSeries(D.curves).map(each => each.family))];
    const first = ['loss', D.sweep.metric].filter(family => families.includes(family));
    return [...new Set(first.concat(families))].map(family => [family, family]);
}

function drawCurves(chart, view) {
    const ids = curveConfigs();
    const wanted =
        view.config === 'auto'
            ? state.selected.slice().reverse().concat(D.choice.chosen)
            : [Number(view.config)];
    const id = wanted.find(one => ids.includes(one)) || ids[0];
    const curves = D.curves.filter(curve => curve.config === id);
    const isStop = curves.some(curve => curve.stop);
    const lines = curveSeries(curves).filter(each => each.family === view.measure);
    lines.forEach(each => {
        if (isStop && each.text === CURVE_PARTS.val) each.text = CURVE_PARTS.stop;
        each.curves = curves
            .map(curve => pointsOf(curve, each.of))
            .filter(points => points.length);
    });
    if (!lines.length)
        return nothing(chart, 'The curves of this configuration have no such values.');
    curveChart(chart, view, lines, curves, id);
    if (view.config === 'auto' && !wanted.includes(id)) chart.note += otherCurve(id);
}

// Why the curves are not those of the choice.
function otherCurve(id) {
    const chosen = indexOf.get(D.choice.chosen);
    const whose =
        chosen === undefined
            ? 'The choice'
            : 'The choice, ' + name(chosen) + ' (' + D.types[C.type[chosen]] + '),';
    return whose + ' has no learning curve: c' + id + ' is the best configuration with one. ';
}

function pointsOf(curve, of) {
    const values = of(curve);
    return values.map((value, n) => [curve.epoch[n], value]).filter(p => p[1] !== null);
}

function curveChart(chart, view, lines, curves, id) {
    const part = D.sweep.folds > 1 ? 'fold' : 'trial';
    const s = surface(chart, chart.width, 360, 'Learning curves of c' + id);
    const box = boxOf(s, 54, 46, 84, 44);
    const values = lines.flatMap(each => each.curves.flat()).map(p => p[1]);
    const [least, most] = d3.extent(values);
    const wide = view.measure === 'loss' && most > 10 * least;
    const log = least > 0 && (view.log === 'yes' || (view.log === 'auto' && wide));
    const x = d3.scaleLinear(epochRange(curves), [box.left, box.right]);
    const range = log ? [least / 1.1, most * 1.1] : rangeOf(values);
    const y = (log ? d3.scaleLog : d3.scaleLinear)(range, [box.bottom, box.top]).clamp(true);
    const label = view.measure === D.sweep.metric ? scoreLabel() : view.measure;
    axisX(s.root, box, x, 'epoch', true);
    axisY(s.root, box, y, label + (log ? ' (log scale)' : ''));
    const title = `c${id}  ${settings(indexOf.get(id))}`;
    text(s.root, s.width, 14, fit(title, s.width * 0.9), 'strong', 'end');
    const ends = lines.map(each => curveMean(s, each, x, y, curves.length > 1));
    bestEpochs(s, curves, lines[lines.length - 1].of, x, y);
    const stop = stopOf(indexOf.get(id));
    if (stop) s.root.selectAll('.stroke, .band').attr('opacity', 0.5);
    const labels = labelPlaces(ends, 15);
    lines.forEach((each, n) => {
        dots(s.root, [[box.right + 12, labels[n]]], 4, 0, each.series + ' fill');
        text(s.root, box.right + 20, labels[n] + 4, fit(each.text, 62));
    });
    const beyond = log ? 0 : values.filter(v => v < range[0] || v > range[1]).length;
    chart.note =
        curves.length > 1
            ? `Thin lines are ${part}s; the thick line is their mean, the band their range. ` +
              `Circles mark the best epoch of each ${part}. `
            : 'Circles mark the best epoch. ';
    if (stop) chart.note += `The search: ${stop}, so the curves end there. `;
    if (curves.some(curve => curve.stop))
        chart.note +=
            'The stop part chose it: these values are not the scores on the validation part. ';
    if (beyond) chart.note += plural(beyond, 'value') + ' beyond the axis lie on its edge. ';
}

// The places of labels, moved down so that they do not overlap.
function labelPlaces(wanted, gap) {
    if (wanted.length === 2) return apart(wanted[0], wanted[1], gap);
    const places = wanted.slice();
    d3.range(wanted.length)
        .sort((a, b) => wanted[a] - wanted[b])
        .forEach((k, n, order) => {
            if (n) places[k] = Math.max(wanted[k], places[order[n - 1]] + gap);
        });
    return places;
}

function epochRange(curves) {
    const [first, last] = d3.extent(curves.flatMap(curve => curve.epoch));
    return [
        first < last && first > last / 10 ? first : Math.min(first, 0),
        Math.max(last, first + 1)
    ];
}

// Thin lines of folds, and mean and range of the folds that have not stopped while they are at
// least half. Returns the height of the end of the mean.
function curveMean(s, each, x, y, many) {
    const thin = d3.line().x(p => x(p[0])).y(p => y(p[1]));
    each.curves.forEach(points => path(s.root, thin(points), each.series + ' stroke thin'));
    const epochs = each.curves.flat().map(p => p[0]);
    const mean = [...new Set(epochs)].sort(d3.ascending).map(epoch => {
        const values = each.curves.map(points => valueAt(points, epoch)).filter(v => v !== null);
        return { epoch, n: values.length, m: d3.mean(values), range: d3.extent(values) };
    }).filter(row => row.n >= Math.max(1, each.curves.length / 2));
    const area = d3.area().x(r => x(r.epoch)).y0(r => y(r.range[0])).y1(r => y(r.range[1]));
    if (many) path(s.root, area(mean), each.series + ' band');
    path(s.root, d3.line().x(r => x(r.epoch)).y(r => y(r.m))(mean), each.series + ' stroke');
    return y(mean[mean.length - 1].m);
}

// The value of a curve at an epoch, between stored epochs by a straight line.
function valueAt(points, epoch) {
    const n = d3.bisector(p => p[0]).left(points, epoch);
    if (n >= points.length) return null;
    if (points[n][0] === epoch || n === 0) return points[n][0] === epoch ? points[n][1] : null;
    const [p, q] = [points[n - 1], points[n]];
    return p[1] + ((q[1] - p[1]) * (epoch - p[0])) / (q[0] - p[0]);
}

function bestEpochs(s, curves, of, x, y) {
    curves.forEach(curve => {
        const value = curve.best === null ? null : valueAt(pointsOf(curve, of), curve.best);
        if (value === null) return;
        const at = { x: x(curve.best), y: y(value) };
        const replicate = D.sweep.replicates > 1 ? `replicate ${curve.replicate}, ` : '';
        dots(s.root, [[at.x, at.y]], 4, 0, 's0 hollow');
        s.marks.push({
            key: 't' + curve.trial,
            ...at,
            tip: () => [
                'trial ' + curve.trial,
                `${replicate}fold ${curve.fold}`,
                'best epoch ' + curve.best,
                score(value)
            ]
        });
    });
}

charts.push({
    id: 'curves',
    draw: drawCurves,
    options: [
        { key: 'config', label: 'configuration', choices: curveChoices },
        { key: 'measure', label: 'show', choices: curveMeasures },
        {
            key: 'log',
            label: 'scale',
            choices: () => [
                ['auto', 'automatic'],
                ['no', 'linear'],
                ['yes', 'logarithmic']
            ]
        }
    ]
});
