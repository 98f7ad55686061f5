// SPDX-License-Identifier: BSD-3-Clause
//
// Predicted against observed values; for classes confusion matrix, ROC and calibration.

function groupChoices() {
    return [['all', 'all']].concat(D.predictions.group.map((text, g) => [String(g), text]));
}

function drawPredicted(chart, view) {
    const P = D.predictions;
    const isWhole = n => P.observed[n] !== null && P.predicted[n] !== null;
    const rows = P.observed.map((v, n) => n).filter(isWhole);
    if (!rows.length) return nothing(chart, 'No predictions are stored.');
    const inside = rows.filter(n => view.group === 'all' || P.g[n] === Number(view.group));
    if (!inside.length) return nothing(chart, 'This group has no samples.');
    if (P.left_out)
        chart.note =
            `The chart shows ${plural(P.observed.length, 'prediction')}; ` +
            `${P.left_out.toLocaleString('en')} more are only in the numbers below. `;
    if (!P.classes.length) return drawScatter(chart, view, rows, inside);
    const parts = el('div', { class: 'parts' });
    chart.node.append(parts);
    const columns = Math.min(3, Math.max(1, Math.floor(chart.width / 300)));
    const width = (chart.width - 24 * (columns - 1)) / columns;
    drawConfusion(chart, inside, P.p ? width : Math.min(520, chart.width), parts);
    if (P.p) drawRoc(chart, inside, width, parts);
    if (P.p && P.probabilities) drawCalibration(chart, inside, width, parts);
}

// The five largest groups have marks of their own; the others share one.
function largestGroups(rows) {
    const counts = new Map();
    rows.forEach(n => counts.set(D.predictions.g[n], (counts.get(D.predictions.g[n]) || 0) + 1));
    return [...counts.keys()]
        .filter(g => g >= 0)
        .sort((a, b) => counts.get(b) - counts.get(a))
        .slice(0, 5);
}

function pearson(rows) {
    const P = D.predictions;
    const mx = d3.mean(rows, n => P.observed[n]);
    const my = d3.mean(rows, n => P.predicted[n]);
    const sum = f => d3.sum(rows, n => f(P.observed[n] - mx, P.predicted[n] - my));
    const r = sum((u, v) => u * v) / Math.sqrt(sum(u => u * u) * sum((u, v) => v * v));
    return isFinite(r) && rows.length > 2 ? r : null;
}

function drawScatter(chart, view, rows, inside) {
    const P = D.predictions;
    const wide = chart.width >= 720;
    const size = Math.min(chart.width, wide ? 540 : 620);
    const title = 'Predicted against observed values';
    const s = surface(chart, wide ? chart.width : size, Math.min(520, size), title);
    const box = { left: 54, top: 40, right: size - 16, bottom: s.height - 44 };
    const both = d3.extent(rows.map(n => P.observed[n]).concat(rows.map(n => P.predicted[n])));
    const pad = (both[1] - both[0]) * 0.04 || 1;
    const [low, high] = [both[0] - pad, both[1] + pad];
    const x = d3.scaleLinear([low, high], [box.left, box.right]);
    const y = d3.scaleLinear([low, high], [box.bottom, box.top]);
    axisX(s.root, box, x, 'observed');
    axisY(s.root, box, y, 'predicted');
    line(s.root, x(low), y(low), x(high), y(high), 'identity');
    const at = n => [x(P.observed[n]), y(P.predicted[n])];
    const groups = largestGroups(rows);
    if (inside.length < rows.length)
        dots(s.root, rows.filter(n => !inside.includes(n)).map(at), 2.5, 0, 's-quiet fill away');
    const other = inside.filter(n => !groups.includes(P.g[n]));
    dots(s.root, other.map(at), 3, 0, (groups.length ? 's-quiet' : 's0') + ' fill faint');
    groups.forEach((g, k) =>
        dots(s.root, inside.filter(n => P.g[n] === g).map(at), 3, k, 's' + k + ' fill faint')
    );
    inside.forEach(n => {
        const [mx, my] = at(n);
        s.marks.push({ key: 's' + n, x: mx, y: my, tip: () => sampleTip(n) });
    });
    const place = wide ? { x: size + 24, y: 56 } : { x: box.left + 10, y: box.top + 10 };
    scatterText(s, inside, groups, place, wide);
}

function sampleTip(n) {
    const P = D.predictions;
    return [
        String(P.id[n]),
        'observed ' + short(P.observed[n]),
        'predicted ' + short(P.predicted[n])
    ].concat(P.g[n] >= 0 ? P.group[P.g[n]] : [], 'fold ' + P.fold[n]);
}

// Replicates predict a sample once each.
function countText(rows) {
    const samples = new Set(rows.map(n => D.predictions.id[n])).size;
    return (
        plural(rows.length, 'prediction') +
        (samples < rows.length ? ' of ' + plural(samples, 'sample') : '')
    );
}

function scatterText(s, rows, groups, at, wide) {
    const P = D.predictions;
    const rmse = Math.sqrt(d3.mean(rows, n => Math.pow(P.observed[n] - P.predicted[n], 2)));
    const r = pearson(rows);
    const head = [
        'r = ' + (r === null ? 'none' : score(r)) + (severalParts() ? ', all together' : ''),
        'RMSE = ' + short(rmse, 3),
        countText(rows)
    ];
    const within = rows.length === P.observed.length ? meanWithin('pearson') : null;
    if (within) head.splice(1, 0, 'r, ' + within);
    head.forEach((t, k) => text(s.root, at.x, at.y + 17 * k, t, k ? 'halo' : 'strong halo'));
    if (!wide || !groups.length) return;
    text(s.root, at.x, at.y + 95, 'group: r (predictions)', 'quiet');
    groups.forEach((g, k) => {
        const inside = rows.filter(n => P.g[n] === g);
        const inner = pearson(inside);
        dots(s.root, [[at.x + 5, at.y + 115 + 20 * k]], 4, k, 's' + k + ' fill');
        const end = `: ${inner === null ? 'none' : score(inner)} (${inside.length})`;
        const label = fit(P.group[g], s.width - at.x - 20 - textWidth(end)) + end;
        text(s.root, at.x + 16, at.y + 119 + 20 * k, label);
    });
}

function drawConfusion(chart, rows, width, parts) {
    const P = D.predictions;
    const k = P.classes.length;
    const counts = P.classes.map(() => P.classes.map(() => 0));
    rows.forEach(n => counts[P.observed[n]][P.predicted[n]]++);
    const widest = Math.max(60, ...P.classes.map(c => textWidth(clip(c, 14))));
    const left = Math.min(width * 0.3, widest + 12);
    const w = Math.min(90, (width - left - 4) / k);
    const s = surface(chart, width, 66 + w * k + 40, 'Confusion matrix', parts);
    text(s.root, 0, 14, 'Confusion matrix', 'strong');
    text(s.root, 0, 32, 'share of the observed class', 'quiet small');
    text(s.root, 0, 56, '\u2193 observed', 'quiet');
    text(s.root, left + w * k, 66 + w * k + 34, 'predicted \u2192', 'quiet', 'end');
    counts.forEach((row, o) => {
        const sum = d3.sum(row);
        const below = fit(P.classes[o], Math.max(20, w - 4));
        text(s.root, left - 8, 66 + (o + 0.5) * w + 4, clip(P.classes[o], 14), null, 'end');
        if (w > 24 || o % 3 === 0)
            text(s.root, left + (o + 0.5) * w, 66 + w * k + 16, below, null, 'middle');
        row.forEach((n, p) => {
            const share = sum ? n / sum : 0;
            const words = [
                `observed ${P.classes[o]}, predicted ${P.classes[p]}`,
                `${n} of ${sum} (${percent(share)})`
            ];
            confusionCell(s, n, share, left + p * w, 66 + o * w, w);
            s.marks.push({
                key: o + '.' + p,
                x: left + (p + 0.5) * w,
                y: 66 + (o + 0.5) * w,
                w,
                h: w,
                tip: () => words
            });
        });
    });
    s.hit = (x, y) => s.marks.find(m => Math.abs(m.x - x) < w / 2 && Math.abs(m.y - y) < w / 2);
}

function confusionCell(s, n, share, x, y, w) {
    const fill = d3.interpolateViridis(share);
    const ink = inkOn(fill);
    rect(s.root, x, y, w, w, 'cell').attr('fill', fill);
    if (w > 26) text(s.root, x + w / 2, y + w / 2 + (w > 46 ? -2 : 4), n, ink, 'middle');
    if (w > 46) text(s.root, x + w / 2, y + w / 2 + 14, percent(share), ink + ' small', 'middle');
}

function severalParts() {
    return D.predictions.parts > 1;
}

// The mean of a metric over folds or trials, which need not compare scores of different models.
function meanWithin(metric) {
    const found = D.predictions.scores.find(one => one.metric === metric);
    if (!found || found.mean === null || found.folds < 2) return null;
    return 'mean of ' + plural(found.folds, D.predictions.part) + ' ' + score(found.mean);
}

// The ROC curve of one class against the others and the area below it; equal scores are one step.
function rocOf(rows, k) {
    const P = D.predictions;
    const sorted = rows.slice().sort((a, b) => P.p[b][k] - P.p[a][k]);
    const positives = rows.filter(n => P.observed[n] === k).length;
    const negatives = rows.length - positives;
    if (!positives || !negatives) return null;
    const points = [[0, 0]];
    let [tp, fp, area] = [0, 0, 0];
    sorted.forEach((n, at) => {
        if (P.observed[n] === k) tp++;
        else fp++;
        if (at + 1 < sorted.length && P.p[sorted[at + 1]][k] === P.p[n][k]) return;
        const [x, y] = points[points.length - 1];
        points.push([fp / negatives, tp / positives]);
        area += ((fp / negatives - x) * (tp / positives + y)) / 2;
    });
    return { points, area };
}

// below: room under the horizontal axis
function squareFrame(chart, width, parts, title, labels, below) {
    const height = Math.min(width + 30, 420);
    const s = surface(chart, width, height + below, title, parts);
    const side = Math.min(s.width - 60, height - 110);
    const box = { left: 44, top: 66, right: 44 + side, bottom: 66 + side };
    const x = d3.scaleLinear([box.left, box.right]);
    const y = d3.scaleLinear([box.bottom, box.top]);
    text(s.root, 0, 14, title, 'strong');
    axisX(s.root, box, x, labels[0]);
    axisY(s.root, box, y, labels[1]);
    line(s.root, x(0), y(0), x(1), y(1), 'identity');
    return { s, box, x, y };
}

function drawRoc(chart, rows, width, parts) {
    const P = D.predictions;
    const together = severalParts() ? `all ${P.part}s together` : '';
    const title = 'ROC' + (together && ', ' + together);
    const labels = ['false positive rate', 'true positive rate'];
    const { s, box, x, y } = squareFrame(chart, width, parts, title, labels, 0);
    const classes = P.classes.length === 2 ? [1] : P.classes.map((c, k) => k).slice(0, 5);
    const curves = classes.map((k, n) => ({ k, n, roc: rocOf(rows, k) })).filter(each => each.roc);
    const d = d3.line().x(p => x(p[0])).y(p => y(p[1]));
    curves.forEach(({ n, roc }) => path(s.root, d(roc.points), `s${n} stroke`));
    const within = rows.length === P.observed.length ? meanWithin('roc_auc') : null;
    const whose = P.classes.length > 2 ? 'mean area of classes, ' : 'area, ';
    if (within) text(s.root, 0, 32, whose + within, 'quiet small');
    curves.forEach(({ k, n, roc }, row) => {
        const ty = box.bottom - 12 - 17 * (curves.length - 1 - row);
        const label = clip(P.classes[k], 14) + ', area ' + score(roc.area);
        const left = box.right - textWidth(label) - 30;
        line(s.root, left, ty - 4, left + 16, ty - 4, 's' + n + ' stroke');
        text(s.root, box.right - 8, ty, label, 'halo', 'end');
        const others = P.classes.length > 2 ? 'all other classes' : P.classes[0];
        const words = [label, 'against ' + others];
        if (together) words.push('predictions of ' + together);
        s.marks.push({ key: 'roc' + k, x: left + 8, y: ty - 4, tip: () => words });
    });
    if (P.classes.length > 5)
        chart.note += 'ROC curves of the first 5 of ' + P.classes.length + ' classes. ';
}

// Observed frequency in ten bins of the predicted probability: of the second of two classes, else
// of the predicted class.
function drawCalibration(chart, rows, width, parts) {
    const P = D.predictions;
    const two = P.classes.length === 2;
    const whose = two
        ? 'predicted probability of ' + clip(P.classes[1], 8)
        : 'probability of the predicted class';
    const labels = [whose, 'observed frequency'];
    const { s, box, x, y } = squareFrame(chart, width, parts, 'Calibration', labels, 46);
    const bins = d3.range(10).map(() => ({ n: 0, p: 0, hits: 0 }));
    rows.forEach(n => {
        const p = two ? P.p[n][1] : P.p[n][P.predicted[n]];
        const bin = bins[Math.min(9, Math.max(0, Math.floor(10 * p)))];
        bin.n++;
        bin.p += p;
        bin.hits += two ? P.observed[n] === 1 : P.observed[n] === P.predicted[n];
    });
    const used = bins.filter(bin => bin.n);
    const at = bin => [x(bin.p / bin.n), y(bin.hits / bin.n)];
    path(s.root, d3.line()(used.map(at)), 's0 stroke thin');
    const most = d3.max(used, bin => bin.n);
    used.forEach((bin, k) => {
        const [bx, by] = at(bin);
        dots(s.root, [[bx, by]], 2.5 + 5 * Math.sqrt(bin.n / most), 0, 's0 fill faint');
        const words = [
            plural(bin.n, 'prediction'),
            'mean probability ' + score(bin.p / bin.n),
            'observed ' + percent(bin.hits / bin.n)
        ];
        s.marks.push({ key: 'bin' + k, x: bx, y: by, tip: () => words });
    });
    const step = x(0.1) - x(0) < 28 ? 13 : 0; // a narrow chart has two rows
    bins.forEach((bin, k) => {
        const below = box.bottom + 54 + (k % 2) * step;
        text(s.root, x((k + 0.5) / 10), below, shortCount(bin.n), 'quiet small', 'middle');
    });
    text(s.root, box.right, box.bottom + 83, 'predictions in each tenth', 'quiet small', 'end');
}

// At most four characters.
function shortCount(n) {
    return n < 1000 ? String(n) : d3.format('.2~s')(n);
}

charts.push({
    id: 'predicted',
    draw: drawPredicted,
    options: [{ key: 'group', label: 'group', choices: groupChoices }]
});
