// SPDX-License-Identifier: BSD-3-Clause
//
// The search: scores against cost; scatter plots of configurations that are no complete grid.

const SEARCH = D.search;
const END = { number: 0, rung: 0, what: 'run to the end' };

// What was known when a configuration i came to a rung, or to its end (rung 0): {i, step, score, cost}, by cost.
const POINTS = WITH_D3 ? searchPoints() : [];
const LAST = new Map(POINTS.map(p => [p.i, p]));

function searchPoints() {
    if (!SEARCH) {
        const scored = C.id.map((id, i) => i).filter(i => C.mean[i] !== null);
        return scored.map(i => ({ i, step: END, score: C.mean[i], cost: null }));
    }
    const steps = new Map(SEARCH.steps.map(step => [step.number, step]));
    const ends = d3.range(C.id.length).filter(i => C.complete[i]);
    const hardness = D.value.map(row => d3.mean(ends, i => row[i]) || 0);
    // The mean of the first n trials, less how hard these are.
    const adjusted = (i, n) => {
        const scores = D.value.slice(0, n).map((row, s) => row[i] === null ? NaN : row[i] - hardness[s]);
        const mean = d3.sum(scores) / n + d3.mean(hardness);
        return scores.some(isNaN) ? null : mean;
    };
    return SEARCH.config
        .map((id, n) => {
            const i = indexOf.get(id);
            const step = steps.get(SEARCH.step[n]);
            const score = step.rung && !SEARCH.by_rung ? adjusted(i, step.rung) : SEARCH.value[n];
            return { i, step, score, cost: SEARCH.cost[n] };
        })
        .filter(p => p.score !== null)
        .sort((p, q) => p.cost - q.cost || p.step.number - q.step.number);
}

// "c7, stopped at rung 1 (10 epochs)"; "" if the search did not stop it.
function stopOf(i) {
    const last = LAST.get(i);
    return last && last.step.rung && C.place[i] === null ? `${name(i)}, stopped ${last.step.what}` : '';
}

// Later rungs are darker, or on a dark page lighter.
function rungColour(rung) {
    const rungs = SEARCH ? d3.max(SEARCH.steps, step => step.rung) + 1 : 1;
    const part = (rung || rungs) / rungs;
    return d3.interpolateViridis(isDark() ? 0.3 + 0.6 * part : 0.85 * (1 - part));
}

function passes(p) {
    const inside = C.mean[p.i] === null && state.levels.every((set, a) => !set || set.has(C.level[a][p.i]));
    return inside || (C.mean[p.i] !== null && shown[p.i]);
}

// Draw points at(p) in the colours of their rungs, with their names and a key.
function searchDots(s, points, at, right) {
    const steps = [...new Set(points.map(p => p.step))].sort((p, q) => (p.rung || 1e9) - (q.rung || 1e9));
    steps.forEach(step => {
        const list = points.filter(p => p.step === step).map(at);
        const r = points.length > 500 ? 1.8 : step.rung ? 3 : 4;
        dots(s.root, list, r, 0, null).attr('fill', rungColour(step.rung));
    });
    searchMarks(s, points, at);
    const few = steps.filter((step, n) => n < 2 || n >= steps.length - 3);
    const draw = step => (p, x, y) => dots(p, [[x, y]], 4, 0, null).attr('fill', rungColour(step.rung));
    if (right) keys(s.root, 4, 16, few.map(step => ({ text: step.what, draw: draw(step) })), right);
}

function searchMarks(s, points, at) {
    points.forEach((p, n) => {
        const [x, y] = at(p);
        const cost = p.cost === null ? [] : [seconds(p.cost) + ' of cores until then'];
        const lines = [`${name(p.i)}, ${p.step.what}`, `${D.sweep.metric} ${score(p.score)}`, ...cost];
        s.marks.push({ key: 'p' + n, config: p.i, x, y, tip: () => lines.concat(settings(p.i, '\n').split('\n')) });
        if (isSelected(p.i)) dots(s.root, [[x, y]], 7, 0, 'picked');
    });
}

function drawSearch(chart) {
    const points = POINTS.filter(p => passes(p) && p.cost !== null);
    if (!points.length) return nothing(chart);
    const s = surface(chart, chart.width, 380, 'Scores against the cost of the search');
    const box = boxOf(s, 54, 76, 24, 44);
    const most = d3.max(SEARCH.steps, step => step.cost) || 1;
    const [unit, what] = most < 7200 ? [1, 'core-seconds'] : [3600, 'core-hours'];
    const x = d3.scaleLinear([0, most / unit], [box.left, box.right]);
    const y = d3.scaleLinear(rangeOf(points.map(p => p.score)), [box.bottom, box.top]).clamp(true);
    axisX(s.root, box, x, what + ' of all attempts until then');
    axisY(s.root, box, y, scoreLabel());
    searchSteps(s, box, cost => x(cost / unit));
    searchDots(s, points, p => [x(p.cost / unit), y(p.score)], box.right);
    const best = d3.line().curve(d3.curveStepAfter).x(p => x(p.cost / unit)).y(p => y(p.best));
    path(s.root, best(bestSoFar(points)), 's1 stroke');
}

// The best of the latest scores, without those of configurations that an earlier step stopped.
function bestSoFar(points) {
    const latest = new Map();
    let best = null;
    return points.map(p => {
        const isBetter = q => !best || SIGN * q.score > SIGN * best.score;
        const fell = best && best.i === p.i && SIGN * p.score < SIGN * best.score;
        latest.set(p.i, p);
        if (fell || isBetter(p)) best = p;
        if (fell)
            latest.forEach(q => {
                const isLeft = !stopOf(q.i) || LAST.get(q.i).step.number >= p.step.number;
                if (isLeft && isBetter(q)) best = q;
            });
        return { cost: p.cost, best: best.score };
    });
}

// A vertical line where a step ends; its number where there is room.
function searchSteps(s, box, x) {
    let last = textWidth('\u2191 ' + scoreLabel());
    const isLater = (step, n) => !SEARCH.steps[n + 1] || SEARCH.steps[n + 1].cost !== step.cost;
    SEARCH.steps.filter((step, n) => step.cost !== null && isLater(step, n)).forEach(step => {
        const at = x(step.cost);
        const what = step.end ? 'end' : 'step ' + step.number;
        line(s.root, at, box.top, at, box.bottom, 'rule');
        if (at - textWidth(what) / 2 > last + 8) {
            text(s.root, at, box.top - 6, what, 'quiet small', step.end ? 'end' : 'middle');
            last = at + textWidth(what) / 2;
        }
        const tip = [what, step.what, plural(step.n, 'configuration') + `, ${step.stopped} stopped`];
        s.marks.push({ key: what, x: at, y: box.bottom, tip: () => tip });
    });
}

// ---- scatter plots ----

function drawAgainstAxes(chart) {
    const points = [...LAST.values()].filter(passes);
    if (!points.length) return nothing(chart);
    const parts = el('div', { class: 'parts' });
    chart.node.append(parts);
    const width = chart.width >= 720 ? (chart.width - 26) / 2 : chart.width;
    D.axis_order.forEach((a, n) => {
        const s = surface(chart, width, 280, 'Score against ' + AXES[a].name, parts);
        const box = boxOf(s, 54, 56, 20, 44);
        const x = levelScale(a, [box.left, box.right]);
        const y = d3.scaleLinear(rangeOf(points.map(p => p.score)), [box.bottom, box.top]).clamp(true);
        axisY(s.root, box, y, scoreLabel());
        levelTicks(s.root, box, a, x);
        const inside = points.filter(p => C.level[a][p.i] >= 0);
        const at = p => [x(C.level[a][p.i]) + jitter(p.i, a), y(p.score)];
        searchDots(s, inside, at, n === 0 && SEARCH ? box.right : 0);
    });
}

function drawPlane(chart, view) {
    const [a, b] = [view.x, view.y].map(text => Math.min(AXES.length - 1, Number(text)));
    const points = [...LAST.values()].filter(p => passes(p) && [a, b].every(c => C.level[c][p.i] >= 0));
    if (a === b || !points.length) return nothing(chart, a === b ? 'Choose two different axes.' : undefined);
    const names = AXES[b].levels.map((v, k) => clip(levelText(b, k), 12));
    const s = surface(chart, chart.width, 420, `Configurations by ${AXES[a].name} and ${AXES[b].name}`);
    const box = boxOf(s, Math.max(...names.map(textWidth)) + 18, 76, 24, 44);
    const [x, y] = [levelScale(a, [box.left, box.right]), levelScale(b, [box.bottom, box.top])];
    const colour = colours(points.map(p => p.score), true);
    legend(s.root, box.left, 15, colour, scoreLabel());
    levelTicks(s.root, box, a, x);
    let last = Infinity;
    names.forEach((label, k) => {
        if (y(k) > last - 14) return;
        last = y(k);
        text(s.root, box.left - 6, y(k) + 4, label, 'quiet', 'end');
    });
    text(s.root, 4, box.top - 12, '\u2191 ' + AXES[b].name + y.kind, 'quiet');
    const at = p => [x(C.level[a][p.i]) + jitter(p.i, a), y(C.level[b][p.i]) + jitter(p.i + 5, b)];
    points.forEach(p =>
        dots(s.root, [at(p)], 5, 0, null)
            .attr('fill', p.step.rung ? 'none' : colour(p.score))
            .attr('stroke', colour(p.score))
            .attr('stroke-width', 1.5)
    );
    searchMarks(s, points, at);
}

// Points at the same value of an axis would lie on each other.
function jitter(i, a) {
    return AXES[a].levels.length < N / 2 ? (((i * 7919) % 17) - 8) * 0.9 : 0;
}

charts.push({ id: 'search', draw: drawSearch, options: [] });
