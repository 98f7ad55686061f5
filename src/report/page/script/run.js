// SPDX-License-Identifier: BSD-3-Clause
//
// Timeline of ranks and sessions.

// How outcomes look. Problems have a shape of their own.
const OUTCOMES = {
    done: { classes: 's-done fill' },
    held: { classes: 's0 fill faint' },
    diverged: { classes: 's3 fill', shape: 2 },
    failed: { classes: 's1 fill', shape: 1 },
    stopped: { classes: 's-quiet fill faint' },
    crashed: { classes: 's4 fill', shape: 4 },
    lost: { classes: 's4 fill', shape: 3 },
    running: { classes: 's2 fill' }
};

function sessionChoices() {
    return [['all', 'all sessions']].concat(
        D.run.sessions.map(one => [String(one.session), 'session ' + one.session])
    );
}

function drawRun(chart, view) {
    const A = D.run.attempts;
    const isShown = session => view.session === 'all' || session === Number(view.session);
    const inside = A.trial.map((t, n) => n).filter(n => isShown(D.run.ranks[A.rank[n]].session));
    if (!inside.length) return nothing(chart, 'No attempts are stored.');
    const ranks = rankRows(inside);
    const left = Math.min(chart.width * 0.3, Math.max(...ranks.names.map(textWidth)) + 12);
    const h = Math.max(1, Math.min(22, 420 / ranks.names.length));
    const s = surface(chart, chart.width, 70 + ranks.names.length * h + 46, 'Timeline of ranks');
    const box = boxOf(s, left, 70, 12, 46);
    const spans = sessionSpans(inside, box);
    timeAxis(s.root, spans, box);
    ranks.names.forEach((t, r) => {
        const y = box.top + (r + 0.5) * h + 4;
        if (h >= 12 || r % Math.ceil(13 / h) === 0)
            text(s.root, left - 8, y, fit(t, left - 10), 'quiet small', 'end');
    });
    timeBars(s, inside, ranks, spans, box, h);
    const seen = D.run.outcomes
        .map((o, k) => ({ o, k, n: inside.filter(n => A.outcome[n] === k).length }))
        .filter(each => each.n);
    keys(
        s.root,
        4,
        16,
        seen.map(({ o, n }) => ({
            text: n.toLocaleString('en') + ' ' + o,
            draw: (p, x, y) => dots(p, [[x, y]], 4, OUTCOMES[o].shape || 1, OUTCOMES[o].classes)
        })),
        s.width
    );
    chart.note = D.run.attempts_left_out
        ? D.run.attempts_left_out.toLocaleString('en') + ' short attempts are left out. '
        : '';
}

// The rows of the timeline: a rank of one host, whatever the session.
function rankRows(inside) {
    const label = n => {
        const rank = D.run.ranks[D.run.attempts.rank[n]];
        return { text: 'rank ' + rank.rank + ' ' + rank.host, rank: rank.rank };
    };
    const found = new Map(inside.map(n => [label(n).text, label(n).rank]));
    const names = [...found.keys()].sort((a, b) => found.get(a) - found.get(b) || (a < b ? -1 : 1));
    const place = new Map(names.map((t, r) => [t, r]));
    return { names, of: n => place.get(label(n).text) };
}

// Sessions one after another: the time between them is cut out.
function sessionSpans(inside, box) {
    const A = D.run.attempts;
    const spans = new Map();
    inside.forEach(n => {
        const id = D.run.ranks[A.rank[n]].session;
        const info = D.run.sessions.find(one => one.session === id);
        const span = spans.get(id) || {
            id,
            from: info ? info.started - D.run.t0 : A.start[n],
            to: info && info.finished !== null ? info.finished - D.run.t0 : -Infinity,
            info
        };
        span.from = Math.min(span.from, A.start[n]);
        span.to = Math.max(span.to, A.end[n] === null ? A.start[n] : A.end[n]);
        spans.set(id, span);
    });
    const list = [...spans.values()].sort((p, q) => p.from - q.from);
    const gap = list.length > 1 ? Math.min(20, (box.right - box.left) / list.length / 4) : 0;
    const total = d3.sum(list, span => span.to - span.from) || 1;
    const unit = (box.right - box.left - gap * (list.length - 1)) / total;
    let at = box.left;
    list.forEach(span => {
        span.left = at;
        span.x = t => span.left + (t - span.from) * unit;
        span.right = span.x(span.to);
        at = span.right + gap;
    });
    return { list, get: id => spans.get(id), unit };
}

function timeAxis(g, spans, box) {
    const steps = [
        0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800,
        86400, 172800, 604800
    ];
    const step = steps.find(t => t * spans.unit >= 70) || 2419200;
    const unit =
        step < 30
            ? { size: 1, name: '\u00a0s' }
            : step < 1800
              ? { size: 60, name: '\u00a0min' }
              : { size: 3600, name: '\u00a0h' };
    spans.list.forEach(span => {
        const width = span.right - span.left;
        rect(g, span.left, box.top, Math.max(1, width), box.bottom - box.top, 'nothing');
        d3.range(0, span.to - span.from, step).forEach(t => {
            const x = span.x(span.from + t);
            line(g, x, box.top, x, box.bottom, 'gridline');
            const isLast = span === spans.list[spans.list.length - 1];
            if ((t === 0 && width < 30) || x > box.right - 12) return;
            if (t > 0 && x > span.right - 20 && !isLast) return;
            const label = t === 0 ? '0' : short(t / unit.size, 3) + unit.name;
            text(g, x, box.bottom + 16, label, 'quiet small', t === 0 ? null : 'middle');
        });
        if (width <= 70) return;
        const { busy } = span.info || { busy: null };
        const share = busy === null ? '' : `, ${(100 * busy).toFixed(1)}\u00a0% busy`;
        text(g, span.left, box.top - 8, fit(`session ${span.id}${share}`, width), 'quiet small');
    });
    const label = 'time since the start of the session \u2192';
    text(g, box.right, box.bottom + 36, label, 'quiet', 'end');
}

function timeBars(s, inside, ranks, spans, box, h) {
    const A = D.run.attempts;
    const rows = ranks.names.map(() => []);
    const paths = D.run.outcomes.map(() => []);
    const problems = [];
    inside.forEach(n => {
        const span = spans.get(D.run.ranks[A.rank[n]].session);
        const x0 = span.x(A.start[n]);
        const x1 = Math.max(x0 + 0.6, span.x(A.end[n] === null ? span.to : A.end[n]) - 0.3);
        const y = box.top + ranks.of(n) * h;
        const outcome = D.run.outcomes[A.outcome[n]];
        const f = v => v.toFixed(1);
        paths[A.outcome[n]].push(`M${f(x0)},${f(y + h * 0.12)}H${f(x1)}v${f(h * 0.76)}H${f(x0)}z`);
        if (OUTCOMES[outcome].shape) problems.push({ outcome, x: x1, y: y + h / 2 });
        rows[ranks.of(n)].push({
            key: 'a' + n,
            config: indexOf.get(A.config[n]),
            x: (x0 + x1) / 2,
            y: y + h / 2,
            w: x1 - x0,
            h,
            x0,
            x1,
            tip: () => attemptTip(n, outcome)
        });
    });
    paths.forEach((d, k) => {
        if (d.length) path(s.root, d.join(''), OUTCOMES[D.run.outcomes[k]].classes);
    });
    if (h >= 5)
        problems.forEach(({ outcome, x, y }) => {
            const { shape, classes } = OUTCOMES[outcome];
            dots(s.root, [[x, y]], Math.min(4, h / 2), shape, classes + ' halo');
        });
    rows.forEach(row => row.sort((p, q) => p.x0 - q.x0));
    s.marks = rows.flat();
    s.hit = (x, y) => {
        const row = rows[Math.floor((y - box.top) / h)] || [];
        const at = d3.bisector(m => m.x0).right(row, x + 1) - 1;
        return at >= 0 && x <= row[at].x1 + 2 ? row[at] : null;
    };
    s.marks
        .filter(m => m.config !== undefined && isSelected(m.config))
        .forEach(({ x0, y, w }) =>
            rect(s.root, x0, y - h / 2 + 1, Math.max(2, w), Math.max(2, h - 2), 'picked')
        );
}

function attemptTip(n, outcome) {
    const A = D.run.attempts;
    return [
        'trial ' + A.trial[n] + ', c' + A.config[n],
        outcome + (A.end[n] === null ? '' : ' after ' + seconds(A.end[n] - A.start[n])),
        'rank ' + D.run.ranks[A.rank[n]].rank + ' on ' + D.run.ranks[A.rank[n]].host
    ];
}

charts.push({
    id: 'run',
    draw: drawRun,
    options: [{ key: 'session', label: 'show', choices: sessionChoices }]
});
