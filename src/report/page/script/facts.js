// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about data and graph as bars and histograms.

// Topics that are drawn; the tables have all. A row is [name, number, text to show if not the
// number]. The name of a bin is its lower edge.
const FACTS = [
    { topic: 'part', title: 'samples in each part of a fold' },
    { topic: 'class', title: 'samples of each class' },
    { topic: 'target_bin', title: 'samples by observed value', bins: true },
    { topic: 'degree', title: 'nodes by number of neighbours' },
    { topic: 'group', title: 'samples in each group' },
    { topic: 'marker', title: 'markers read, kept and dropped' },
    { topic: 'duplicate', title: 'samples that are alike' }
];

function drawData(chart) {
    const parts = el('div', { class: 'parts small' });
    chart.node.append(parts);
    const width = chart.width >= 620 ? (chart.width - 24) / 2 : chart.width;
    FACTS.forEach(kind => {
        const fact = D.data.facts.find(one => one.topic === kind.topic);
        const rows = fact ? fact.rows.filter(row => typeof row[1] === 'number') : [];
        const numbers = rows.length > 8 && rows.every(row => row[0] !== '' && isFinite(row[0]));
        if (rows.length) (numbers ? drawHistogram : drawBars)(chart, kind, rows, width, parts);
    });
    return parts.hasChildNodes()
        ? undefined
        : nothing(chart, 'The table lists what is known of the data.');
}

function drawBars(chart, kind, all, width, parts) {
    const rows = all.slice(0, 20);
    const s = surface(chart, width, 34 + 20 * all.slice(0, 21).length, kind.title, parts);
    const left = Math.min(
        width * 0.45,
        Math.max(...rows.map(row => textWidth(String(row[0])))) + 12
    );
    const label = row => row[2] || row[1].toLocaleString('en');
    const room = Math.max(...rows.map(row => textWidth(label(row)))) + 10;
    const x = d3
        .scaleLinear()
        .domain([0, d3.max(rows, row => row[1]) || 1])
        .range([0, width - left - room]);
    text(s.root, 0, 16, kind.title, 'strong');
    rows.forEach((row, n) => {
        const y = 26 + 20 * n;
        text(s.root, left - 8, y + 14, fit(String(row[0]), left - 8), null, 'end');
        s.root
            .append('rect')
            .attr('class', 's0 fill')
            .attr('x', left)
            .attr('y', y + 3)
            .attr('width', Math.max(1, x(Math.max(0, row[1]))))
            .attr('height', 14);
        text(s.root, left + x(Math.max(0, row[1])) + 5, y + 14, label(row), 'quiet');
        s.marks.push({
            key: kind.topic + n,
            config: null,
            x: left,
            y: y + 10,
            w: 4,
            h: 14,
            tip: () => [kind.title, row[0] + ': ' + label(row)]
        });
    });
    if (all.length > rows.length)
        text(
            s.root,
            left,
            40 + 20 * rows.length,
            'and ' + (all.length - rows.length).toLocaleString('en') + ' more',
            'quiet'
        );
    s.hit = (px, py) => s.marks[Math.floor((py - 26) / 20)];
}

function drawHistogram(chart, kind, all, width, parts) {
    const rows = all.map(row => [Number(row[0]), row[1]]).sort((a, b) => a[0] - b[0]);
    const s = surface(chart, width, 200, kind.title, parts);
    const box = boxOf(s, 44, 40, 10, 24);
    const step = d3.min(d3.pairs(rows, (a, b) => b[0] - a[0])) || 1;
    const from = kind.bins ? 0 : -step / 2;
    const x = d3
        .scaleLinear()
        .domain([rows[0][0] + from, rows[rows.length - 1][0] + from + step])
        .range([box.left, box.right]);
    const y = d3
        .scaleLinear()
        .domain([0, d3.max(rows, row => row[1]) || 1])
        .range([box.bottom, box.top]);
    text(s.root, 0, 16, kind.title, 'strong');
    axisY(s.root, box, y);
    const w = Math.max(1, x(step) - x(0) - 1);
    rows.forEach((row, n) => {
        const at = x(row[0] + from + step / 2);
        s.root
            .append('rect')
            .attr('class', 's0 fill')
            .attr('x', at - w / 2)
            .attr('y', y(row[1]))
            .attr('width', w)
            .attr('height', Math.max(0, box.bottom - y(row[1])));
        const range = kind.bins ? short(row[0]) + ' to ' + short(row[0] + step) : String(row[0]);
        s.marks.push({
            key: kind.topic + n,
            config: null,
            x: at,
            y: y(row[1]),
            tip: () => [range, row[1].toLocaleString('en')]
        });
    });
    x.ticks(6).forEach(t =>
        text(s.root, x(t), box.bottom + 16, tickOf(x, 6)(t), 'quiet', 'middle')
    );
    line(s.root, box.left, box.bottom, box.right, box.bottom, 'rule');
    s.hit = px => s.marks.find(m => Math.abs(m.x - px) <= w / 2 + 0.5);
}

charts.push({ id: 'data', draw: drawData, options: [] });
