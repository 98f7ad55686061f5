// SPDX-License-Identifier: BSD-3-Clause
//
// The search: scores against cost; scatter plots of configurations that are no complete grid.

const SEARCH = D.search;
const IS_GRID = !SEARCH || SEARCH.grid;

// For each configuration the number of its last point, or undefined.
const LAST = [];
if (SEARCH) SEARCH.points.config.forEach((i, n) => (LAST[i] = n));

// Later rungs are stronger; rung 0 is the end.
function rungColour(rung) {
    const part = (rung || SEARCH.rungs.length) / SEARCH.rungs.length;
    return d3.interpolateViridis(isDark() ? 0.3 + 0.6 * part : 0.85 * (1 - part));
}

// Draw points, a shape for each rung, and their names. numbers: of points.
function searchDots(s, numbers, at) {
    const P = SEARCH.points;
    const rungs = [...new Set(numbers.map(n => P.rung[n]))].sort((a, b) => (a || 1e9) - (b || 1e9));
    rungs.forEach(rung => {
        const r = numbers.length > 500 ? 1.8 : rung ? 3 : 4;
        const list = numbers.filter(n => P.rung[n] === rung);
        dots(s.root, list.map(at), r, 0, null).attr('fill', rungColour(rung));
    });
    numbers.forEach(n => {
        const [x, y] = at(n);
        const tip = () => searchTip(n);
        s.marks.push({ key: 'p' + n, config: P.config[n], x, y, tip });
    });
    numbers.filter(n => isSelected(P.config[n])).forEach(n => dots(s.root, [at(n)], 6, 0, 'picked'));
    return rungs;
}

function searchTip(n) {
    const P = SEARCH.points;
    const lines = [name(P.config[n]) + ', ' + SEARCH.rungs[P.rung[n]], scoreLabel() + ' ' + score(P.score[n])];
    if (P.cost[n] !== null) lines.push(seconds(P.cost[n]) + ' of cores until then');
    return lines.concat(settings(P.config[n], '\n').split('\n'));
}

function rungKeys(s, rungs, right) {
    const some = rungs.length > 5 ? [0, 1, Math.floor(rungs.length / 2), -2, -1].map(k => rungs.at(k)) : rungs;
    const entries = some.map(rung => ({
        text: SEARCH.rungs[rung],
        draw: (p, x, y) => dots(p, [[x, y]], 4, 0, null).attr('fill', rungColour(rung))
    }));
    keys(s.root, 4, 16, entries, right);
}

// The numbers of points with a score that pass the filter; last: of each configuration the last one.
function pointNumbers(last) {
    const P = SEARCH.points;
    return d3.range(P.config.length).filter(n => {
        const i = P.config[n];
        const passes = C.mean[i] === null ? state.levels.every((set, a) => !set || set.has(C.level[a][i])) : shown[i];
        return passes && P.score[n] !== null && (!last || LAST[i] === n);
    });
}

function drawSearch(chart) {
    const P = SEARCH.points;
    const numbers = pointNumbers().filter(n => P.cost[n] !== null);
    if (!numbers.length) return nothing(chart);
    const s = surface(chart, chart.width, 380, 'Scores against the cost of the search');
    const box = boxOf(s, 54, 76, 24, 44);
    const most = d3.max(SEARCH.steps, step => step.cost) || 1;
    const unit = most < 7200 ? [1, 'core-seconds'] : [3600, 'core-hours'];
    const x = d3.scaleLinear([0, most / unit[0]], [box.left, box.right]);
    const y = d3.scaleLinear(rangeOf(numbers.map(n => P.score[n])), [box.bottom, box.top]).clamp(true);
    axisX(s.root, box, x, unit[1] + ' of all attempts until then');
    axisY(s.root, box, y, scoreLabel());
    searchSteps(s, box, cost => x(cost / unit[0]));
    const at = n => [x(P.cost[n] / unit[0]), y(P.score[n])];
    rungKeys(s, searchDots(s, numbers, at), box.right);
    const line = d3.range(P.config.length).filter(n => P.best[n] !== null && P.cost[n] !== null);
    const step = d3.line().curve(d3.curveStepAfter).x(n => at(n)[0]).y(n => y(P.best[n]));
    path(s.root, step(line), 's1 stroke');
}

// A vertical line where a step ends; its number where there is room.
function searchSteps(s, box, x) {
    let last = -Infinity;
    SEARCH.steps.forEach(step => {
        if (step.cost === null || (!step.rung && step.number && SEARCH.stopped)) return;
        const at = x(step.cost);
        const what = step.number ? 'step ' + step.number : 'end';
        line(s.root, at, box.top, at, box.bottom, 'rule');
        if (at - textWidth(what) / 2 > last + 8) {
            text(s.root, at, box.top - 6, what, 'quiet small', step.number ? 'middle' : 'end');
            last = at + textWidth(what) / 2;
        }
        const stopped = `${step.stopped} of ${plural(step.in, 'configuration')} stopped`;
        s.marks.push({
            key: 'step' + step.number,
            x: at,
            y: box.bottom,
            tip: () => [what, step.rung ? SEARCH.rungs[step.rung] : plural(step.kept, 'configuration'), stopped]
        });
    });
}

// ---- scatter plots ----

function drawAgainstAxes(chart) {
    const numbers = pointNumbers(true);
    if (!numbers.length) return nothing(chart);
    const parts = el('div', { class: 'parts' });
    chart.node.append(parts);
    const wide = chart.width >= 720;
    D.axis_order.forEach((a, n) =>
        drawAgainst(chart, a, numbers, wide ? (chart.width - 26) / 2 : chart.width, parts, n === 0)
    );
}

function drawAgainst(chart, a, numbers, width, parts, isFirst) {
    const P = SEARCH.points;
    const s = surface(chart, width, 280, 'Score against ' + AXES[a].name, parts);
    const box = boxOf(s, 54, 56, 20, 44);
    const x = levelScale(a, [box.left, box.right]);
    const y = d3.scaleLinear(rangeOf(numbers.map(n => P.score[n])), [box.bottom, box.top]).clamp(true);
    axisY(s.root, box, y, scoreLabel());
    levelTicks(s.root, box, a, x);
    const inside = numbers.filter(n => C.level[a][P.config[n]] >= 0);
    const at = n => [x(C.level[a][P.config[n]]) + jitter(P.config[n], a), y(P.score[n])];
    const rungs = searchDots(s, inside, at);
    if (isFirst) rungKeys(s, rungs, box.right);
}

function drawPlane(chart, view) {
    const P = SEARCH.points;
    const [a, b] = [view.x, view.y].map(text => Math.min(AXES.length - 1, Number(text)));
    const numbers = pointNumbers(true).filter(n => [a, b].every(c => C.level[c][P.config[n]] >= 0));
    if (a === b || !numbers.length) return nothing(chart, a === b ? 'Choose two different axes.' : undefined);
    const names = AXES[b].levels.map((v, k) => clip(levelText(b, k), 12));
    const s = surface(chart, chart.width, 420, `Configurations by ${AXES[a].name} and ${AXES[b].name}`);
    const box = boxOf(s, Math.max(...names.map(textWidth)) + 18, 76, 24, 44);
    const [x, y] = [levelScale(a, [box.left, box.right]), levelScale(b, [box.bottom, box.top])];
    const colour = colours(numbers.map(n => P.score[n]), true);
    legend(s.root, box.left, 15, colour, scoreLabel());
    levelTicks(s.root, box, a, x);
    let last = Infinity;
    names.forEach((label, k) => {
        if (y(k) > last - 14) return;
        last = y(k);
        text(s.root, box.left - 6, y(k) + 4, label, 'quiet', 'end');
    });
    text(s.root, 4, box.top - 12, '\u2191 ' + AXES[b].name + y.kind, 'quiet');
    numbers.forEach(n => {
        const i = P.config[n];
        const at = [x(C.level[a][i]) + jitter(i, a), y(C.level[b][i]) + jitter(i + 5, b)];
        const fill = colour(P.score[n]);
        dots(s.root, [at], 5, 0, null)
            .attr('fill', P.rung[n] ? 'none' : fill)
            .attr('stroke', fill)
            .attr('stroke-width', 1.5);
        if (isSelected(i)) dots(s.root, [at], 8, 0, 'picked');
        s.marks.push({ key: 'p' + n, config: i, x: at[0], y: at[1], tip: () => searchTip(n) });
    });
}

// Points at the same value of an axis would lie on each other.
function jitter(i, a) {
    return AXES[a].levels.length < N / 2 ? (((i * 7919) % 17) - 8) * 0.9 : 0;
}

charts.push({ id: 'search', draw: drawSearch, options: [] });
