// SPDX-License-Identifier: BSD-3-Clause
//
// Mean and best score for each value of an axis; share of the variance of each axis.

// The axes with several values, the most important first.
function axisChoices() {
    return D.axis_order.map(a => [String(a), AXES[a].name]);
}

// A scale for the levels of an axis: linear or logarithmic where the axis is, else equal steps.
function levelScale(a, range) {
    const { levels, numeric, log } = AXES[a];
    if (!numeric || levels.length < 2) {
        const steps = d3.scalePoint(d3.range(levels.length), range).padding(0.5);
        return Object.assign(k => steps(k), { kind: '' });
    }
    const isLog = log && levels[0] > 0;
    const room = Math.min(40, (range[1] - range[0]) * 0.08);
    const scale = (isLog ? d3.scaleLog : d3.scaleLinear)(
        [levels[0], levels[levels.length - 1]],
        [range[0] + room, range[1] - room]
    );
    return Object.assign(k => scale(levels[k]), { kind: isLog ? ' (log scale)' : '' });
}

function drawAxis(chart, view) {
    if (!D.grid) return drawAgainstAxes(chart);
    const a = Math.min(AXES.length - 1, Number(view.axis));
    const parts = el('div', { class: 'parts' });
    chart.node.append(parts);
    const shares = D.effects.complete && D.effects.total > 0;
    const wide = chart.width >= 720;
    drawMarginal(chart, a, wide ? chart.width * (shares ? 0.54 : 0.7) : chart.width, parts);
    if (shares) drawShares(chart, a, wide ? chart.width * 0.46 - 26 : chart.width, parts);
}

function drawMarginal(chart, a, width, parts) {
    const s = surface(chart, width, 340, 'Score for each value of ' + AXES[a].name, parts);
    const box = boxOf(s, 54, 40, 50, 44);
    const x = levelScale(a, [box.left, box.right]);
    const rows = D.marginal[a];
    const inside = shownConfigs().filter(i => C.level[a][i] >= 0);
    const ends = rows.flatMap(r => [r.low, r.high, r.mean, r.best]);
    const range = rangeOf(inside.map(i => C.mean[i])).concat(ends.filter(v => v !== null));
    const y = d3.scaleLinear(d3.extent(range), [box.bottom, box.top]).clamp(true);
    axisY(s.root, box, y, scoreLabel());
    levelTicks(s.root, box, a, x);
    const at = i => [x(C.level[a][i]) + (((i * 7919) % 17) - 8) * 0.9, y(C.mean[i])];
    dots(s.root, inside.map(at), 2, 0, 's-quiet fill faint');
    markConfigs(s, inside, at, configTip);
    marginalMeans(s, a, x, y, rows);
    inside.filter(isSelected).forEach(i => dots(s.root, [at(i)], 5, 0, 'picked'));
}

function levelTicks(parent, box, a, x) {
    let last = -Infinity;
    AXES[a].levels.forEach((v, k) => {
        const label = clip(levelText(a, k), 14);
        if (x(k) - textWidth(label) / 2 < last + 6) return;
        last = x(k) + textWidth(label) / 2;
        text(parent, x(k), box.bottom + 16, label, null, 'middle');
    });
    line(parent, box.left, box.bottom, box.right, box.bottom, 'rule');
    const unit = AXES[a].unit ? ', ' + AXES[a].unit : '';
    const label = AXES[a].name + unit + x.kind + ' \u2192';
    text(parent, box.right, box.bottom + 36, label, 'quiet', 'end');
}

function marginalMeans(s, a, x, y, rows) {
    const there = rows.map((r, k) => ({ r, k })).filter(({ r }) => r.mean !== null);
    if (!there.length) return;
    const join = (height, classes) => {
        const points = there.map(({ r, k }) => [x(k), y(height(r))]);
        path(s.root, d3.line()(points), classes + ' stroke thin');
    };
    // Nothing lies between two words.
    if (AXES[a].numeric) {
        join(r => r.best, 's1');
        join(r => r.mean, 's0');
    }
    there.forEach(({ r, k }) => {
        if (r.low !== null) line(s.root, x(k), y(r.low), x(k), y(r.high), 's0 stroke');
        dots(s.root, [[x(k), y(r.mean)]], 5, 0, 's0 fill');
        dots(s.root, [[x(k), y(r.best)]], 4, 3, 's1 hollow');
        s.marks.push({
            key: 'level' + k,
            x: x(k),
            y: y(r.mean),
            tip: () => [
                AXES[a].name + ' ' + levelText(a, k),
                'mean ' + score(r.mean) + (r.low === null ? '' : ', ' + interval(r.low, r.high)),
                'best configuration ' + score(r.best),
                plural(r.n, 'trial')
            ]
        });
    });
    const { r, k } = there[there.length - 1];
    const [mean, best] = apart(y(r.mean), y(r.best), 14);
    text(s.root, x(k) + 10, mean + 4, 'mean', 'halo');
    text(s.root, x(k) + 10, best + 4, 'best', 'halo');
}

// Move two heights apart until labels fit.
function apart(a, b, gap) {
    const short = gap - Math.abs(a - b);
    if (short <= 0) return [a, b];
    const sign = a >= b ? 1 : -1;
    return [a + (sign * short) / 2, b - (sign * short) / 2];
}

function drawShares(chart, a, width, parts) {
    const terms = D.effects.terms.slice().sort((p, q) => q.share - p.share).slice(0, 12);
    const title = 'Share of the variance that each axis explains';
    const s = surface(chart, width, 62 + 22 * (terms.length + 1), title, parts);
    const label = t => t.axes.map(n => AXES[n].name).join(' \u00d7 ');
    const left = Math.min(width * 0.55, Math.max(60, ...terms.map(t => textWidth(label(t)))) + 10);
    const rest = Math.max(0, 1 - d3.sum(terms, t => t.share));
    const most = d3.max(terms.map(t => t.share).concat(rest));
    const x = d3.scaleLinear([0, most], [0, width - left - 52]);
    text(s.root, 0, 28, 'share of the variance between configurations', 'quiet');
    terms.forEach((t, n) => {
        shareBar(s, n, left, x, label(t), t.share, t.axes.includes(a) ? 's0 fill' : 's-done fill');
        s.marks.push({
            key: 'term' + t.axes.join('.'),
            x: left + x(t.share),
            y: 51 + 22 * n,
            tip: () => [label(t), percent(t.share) + ' of the variance'],
            go: () => showTerm(t)
        });
    });
    shareBar(s, terms.length, left, x, 'rest', rest, 's-quiet fill faint');
    s.hit = (px, py) => s.marks[Math.floor((py - 40) / 22)];
}

function shareBar(s, n, left, x, label, share, classes) {
    const y = 40 + 22 * n;
    text(s.root, left - 8, y + 15, fit(label, left - 8), null, 'end');
    rect(s.root, left, y + 3, Math.max(1, x(share)), 16, classes);
    text(s.root, left + x(share) + 5, y + 15, percent(share), 'quiet');
}

// Show a term of the analysis of variance in its panel: an axis here, a pair in the next panel.
function showTerm(term) {
    if (term.axes.length === 1) setView('axis.axis', String(term.axes[0]));
    else {
        state.view['pair.x'] = String(term.axes[0]);
        setView('pair.y', String(term.axes[1]));
    }
}

charts.push({
    id: 'axis',
    draw: drawAxis,
    options: [{ key: 'axis', label: 'axis', choices: () => (D.grid ? axisChoices() : []) }]
});
