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
    const parts = el('div', { class: 'parts' });
    chart.node.append(parts);
    const width = chart.width >= 620 ? (chart.width - 24) / 2 : chart.width;
    FACTS.forEach(kind => {
        const fact = D.data.facts.find(one => one.topic === kind.topic);
        const rows = fact ? fact.rows.filter(row => typeof row[1] === 'number') : [];
        const numbers = rows.length > 8 && rows.every(row => row[0] !== '' && isFinite(row[0]));
        if (rows.length) (numbers ? drawHistogram : drawBars)(chart, kind, rows, width, parts);
    });
    if (!parts.hasChildNodes()) nothing(chart, 'The table lists what is known of the data.');
}

function drawBars(chart, kind, all, width, parts) {
    const rows = all.slice(0, 20);
    const s = surface(chart, width, 34 + 20 * all.slice(0, 21).length, kind.title, parts);
    const widest = Math.max(...rows.map(row => textWidth(String(row[0]))));
    const left = Math.min(width * 0.45, widest + 12);
    const label = row => row[2] || row[1].toLocaleString('en');
    const room = Math.max(...rows.map(row => textWidth(label(row)))) + 10;
    const most = d3.max(rows, row => row[1]) || 1;
    const x = d3.scaleLinear([0, most], [0, width - left - room]);
    text(s.root, 0, 16, kind.title, 'strong');
    rows.forEach((row, n) => {
        const y = 26 + 20 * n;
        const length = x(Math.max(0, row[1]));
        text(s.root, left - 8, y + 14, fit(String(row[0]), left - 8), null, 'end');
        rect(s.root, left, y + 3, Math.max(1, length), 14, 's0 fill');
        text(s.root, left + length + 5, y + 14, label(row), 'quiet');
        const tip = () => [kind.title, row[0] + ': ' + label(row)];
        s.marks.push({ key: kind.topic + n, x: left, y: y + 10, w: 4, h: 14, tip });
    });
    const more = (all.length - rows.length).toLocaleString('en');
    if (more !== '0') text(s.root, left, 40 + 20 * rows.length, `and ${more} more`, 'quiet');
    s.hit = (px, py) => s.marks[Math.floor((py - 26) / 20)];
}

function drawHistogram(chart, kind, all, width, parts) {
    const rows = all.map(row => [Number(row[0]), row[1]]).sort((a, b) => a[0] - b[0]);
    const s = surface(chart, width, 200, kind.title, parts);
    const box = boxOf(s, 44, 40, 10, 24);
    const step = d3.min(d3.pairs(rows, (a, b) => b[0] - a[0])) || 1;
    const from = kind.bins ? 0 : -step / 2;
    const ends = [rows[0][0] + from, rows[rows.length - 1][0] + from + step];
    const x = d3.scaleLinear(ends, [box.left, box.right]);
    const y = d3.scaleLinear([0, d3.max(rows, row => row[1]) || 1], [box.bottom, box.top]);
    text(s.root, 0, 16, kind.title, 'strong');
    axisY(s.root, box, y);
    const w = Math.max(1, x(step) - x(0) - 1);
    rows.forEach(([value, n], k) => {
        const at = x(value + from + step / 2);
        rect(s.root, at - w / 2, y(n), w, Math.max(0, box.bottom - y(n)), 's0 fill');
        const range = kind.bins ? short(value) + ' to ' + short(value + step) : String(value);
        const tip = () => [range, n.toLocaleString('en')];
        s.marks.push({ key: kind.topic + k, x: at, y: y(n), tip });
    });
    x.ticks(6).forEach(t =>
        text(s.root, x(t), box.bottom + 16, tickOf(x, 6)(t), 'quiet', 'middle')
    );
    line(s.root, box.left, box.bottom, box.right, box.bottom, 'rule');
    s.hit = px => s.marks.find(m => Math.abs(m.x - px) <= w / 2 + 0.5);
}

charts.push({ id: 'data', draw: drawData, options: [] });
