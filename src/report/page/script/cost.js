// SPDX-License-Identifier: BSD-3-Clause
//
// Score against cost, with the Pareto front.

function drawCost(chart, view) {
    const cost = C[view.cost];
    const inside = shownConfigs().filter(i => cost[i] > 0);
    if (!inside.length) return nothing(chart, 'No configuration has a cost of this kind.');
    const s = surface(chart, chart.width, 380, 'Score against cost');
    const box = boxOf(s, 54, 58, 24, 44);
    const [least, most] = d3.extent(inside, i => cost[i]);
    const wider = least === most ? 2 : Math.pow(most / least, 0.03);
    const x = d3.scaleLog([least / wider, most * wider], [box.left, box.right]);
    const range = rangeOf(inside.map(i => C.mean[i]));
    const y = d3.scaleLinear(range, [box.bottom, box.top]).clamp(true);
    axisX(
        s.root,
        box,
        x,
        view.cost === 'seconds'
            ? 'seconds of a trial, mean (log scale)'
            : 'floating-point operations of a trial (log scale)'
    );
    axisY(s.root, box, y, scoreLabel());
    const at = i => [x(cost[i]), y(C.mean[i])];
    D.types.forEach((type, t) =>
        dots(
            s.root,
            inside.filter(i => C.type[i] === t).map(at),
            inside.length > 2000 ? 1.8 : 3,
            t,
            's' + (t % 5) + (inside.length > 500 ? ' fill faint' : ' fill')
        )
    );
    markConfigs(s, inside, at, i =>
        configTip(i).concat(
            view.cost === 'seconds'
                ? seconds(cost[i])
                : short(cost[i], 3) + ' floating-point operations'
        )
    );
    costFront(
        s,
        D.pareto[view.cost].map(id => indexOf.get(id)).filter(i => inside.includes(i)),
        at,
        box
    );
    costChoices(s, inside, at, box);
    inside.filter(isSelected).forEach(i => dots(s.root, [at(i)], 9, 0, 'picked'));
    costKeys(s, box);
}

function costFront(s, front, at, box) {
    if (!front.length) return;
    const points = front.map(at).concat([[box.right, at(front[front.length - 1])[1]]]);
    path(s.root, d3.line().curve(d3.curveStepAfter)(points), 'rule');
    dots(s.root, front.map(at), 6.5, 0, 's4 stroke');
}

// The best and the 1se choice with their names, on whichever side there is room.
function costChoices(s, inside, at, box) {
    const names = new Map();
    ['best', '1se'].forEach(rule => {
        const i = indexOf.get(D.choice[rule]);
        if (i !== undefined && inside.includes(i))
            names.set(i, (names.has(i) ? names.get(i) + ' and ' : '') + rule);
    });
    names.forEach((rule, i) => {
        const [x, y] = at(i);
        const label = rule + ' (' + name(i) + ')';
        dots(s.root, [[x, y]], 6, 3, 's1 fill halo');
        const left = x + 12 + textWidth(label) > box.right;
        text(
            s.root,
            left ? x - 11 : x + 11,
            (rule === '1se') === D.sweep.maximize ? y + 17 : y - 6,
            label,
            'strong halo',
            left ? 'end' : null
        );
    });
}

function costKeys(s, box) {
    const entries = D.types.map((type, t) => ({
        text: type,
        draw: (p, x, y) => dots(p, [[x, y]], 4, t, 's' + (t % 5) + ' fill')
    }));
    if (entries.length === 1) entries.pop();
    entries.push({
        text: 'ring: Pareto front',
        draw: (p, x, y) => dots(p, [[x, y]], 5.5, 0, 's4 stroke')
    });
    keys(s.root, 4, 16, entries, box.right);
}

charts.push({
    id: 'cost',
    draw: drawCost,
    options: [
        {
            key: 'cost',
            label: 'cost',
            choices: () =>
                [
                    ['seconds', 'seconds'],
                    ['flops', 'floating-point operations']
                ].filter(([key]) => key === 'seconds' || D.sweep.task !== 'none')
        }
    ]
});
