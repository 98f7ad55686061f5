// SPDX-License-Identifier: BSD-3-Clause
//
// The selected configurations beside each other. The chosen configuration is the reference.

const COMPARED = 12; // columns; the file of the table has all

// Indices of configurations, the reference first. Without a choice it is the first that was
// selected.
function compared() {
    const ids = state.selected.filter(id => id !== D.choice.chosen);
    return (indexOf.has(D.choice.chosen) ? [D.choice.chosen] : [])
        .concat(ids)
        .map(id => indexOf.get(id));
}

// The table shows itself as soon as two configurations are selected, unless the reader says
// otherwise.
function isComparing() {
    const wish = state.view['selection.table'];
    return compared().length > 1 && (wish ? wish === 'shown' : state.selected.length > 1);
}

// Mean of the differences of i to a reference on the folds that both have, with its corrected 95 %
// interval.
function difference(i, reference) {
    const d = D.value
        .filter(row => row[i] !== null && row[reference] !== null)
        .map(row => row[i] - row[reference]);
    if (!d.length) return null;
    const mean = d.reduce((sum, v) => sum + v, 0) / d.length;
    if (d.length < 2) return { mean, low: null, high: null };
    const squares = d.reduce((sum, v) => sum + (v - mean) * (v - mean), 0);
    const half = D.interval[d.length] * Math.sqrt(squares / (d.length - 1));
    return { mean, low: mean - half, high: mean + half };
}

function signed(v) {
    return (v > 0 ? '+' : '') + score(v);
}

// Groups of rows: {label, text: [...], file: [[label, value, ...], ...]} with a text and a value for
// each configuration. The file has several rows for an interval.
function comparison(list) {
    const row = (label, value, words) => ({
        label,
        text: list.map(i => {
            const v = value(i);
            return v === null || v === undefined ? '' : words ? words(v) : String(v);
        }),
        file: [[label].concat(list.map(value))]
    });
    const three = v => short(v, 3);
    const setting = a =>
        row(AXES[a].name + (AXES[a].unit ? ` (${AXES[a].unit})` : ''), i =>
            C.level[a][i] < 0 ? '\u2013' : levelText(a, C.level[a][i])
        );
    const differs = a => list.some(i => C.level[a][i] !== C.level[a][list[0]]);
    const axes = AXES.map((axis, a) => a);
    return [
        { head: 'Settings that differ', rows: axes.filter(differs).map(setting) },
        {
            head: `${D.sweep.metric}, ${D.sweep.maximize ? 'larger' : 'smaller'} is better`,
            rows: [
                row('mean', i => C.mean[i], score),
                row('standard error', i => C.se[i], score),
                row('place', i => C.place[i])
            ].concat(differenceRows(list))
        },
        {
            head: D.sweep.metric + ' of each fold',
            rows: D.slots.map((slot, s) => row(slotName(s), i => D.value[s][i], score))
        },
        {
            head: 'Cost of one trial, on average',
            rows: [
                row('time', i => C.seconds[i], seconds),
                row('epochs', i => C.epochs[i], three),
                row('floating-point operations', i => C.flops[i], three)
            ].filter(one => one.text.some(text => text))
        },
        { head: 'Settings in common', rows: axes.filter(a => !differs(a)).map(setting) }
    ].filter(group => group.rows.length);
}

function differenceRows(list) {
    const label = 'difference to ' + name(list[0]);
    const gaps = list.map(i => (i === list[0] ? null : difference(i, list[0])));
    const part = (words, value) => [words].concat(gaps.map(d => (d ? value(d) : null)));
    const row = (words, text, file) => ({
        label: words,
        text: gaps.map(d => (d && d.low !== null ? text(d) : '')),
        file
    });
    const verdict = d => {
        if (d.low <= 0 && d.high >= 0) return 'unclear';
        return SIGN * d.mean > 0 ? 'better' : 'worse';
    };
    const ends = [part('95 % interval, low', d => d.low), part('95 % interval, high', d => d.high)];
    return [
        { label, text: gaps.map(d => (d ? signed(d.mean) : '')), file: [part(label, d => d.mean)] },
        row('95 % interval', d => signed(d.low) + ' to ' + signed(d.high), ends),
        row('so it is', verdict, [])
    ];
}

// The part of a column's name after the configuration.
function comparedRole(i, reference) {
    if (C.id[i] === D.choice.best) return ' (best)';
    if (C.id[i] === D.choice.chosen) return ' (chosen)';
    return i === reference ? ' (reference)' : '';
}

function saveComparison() {
    const list = compared();
    const rows = comparison(list).map(group =>
        group.rows.map(row => row.file.map(line => [group.head].concat(line)))
    );
    const head = list.map(i => name(i) + comparedRole(i, list[0]));
    saveCsv('comparison', [['about', 'row'].concat(head)].concat(rows.flat(2)));
}

function comparisonHead(i, reference) {
    const title = el('strong', null, name(i));
    const role = comparedRole(i, reference) + ' ';
    return el(
        'th',
        { scope: 'col', class: 'number' },
        ...(isSelected(i)
            ? [el('span', { class: 'chip' }, title, role, removeButton(i))]
            : [title, role])
    );
}

function comparisonTable() {
    const all = compared();
    const list = all.slice(0, COMPARED);
    const head = list.map(i => comparisonHead(i, list[0]));
    const bodies = comparison(list).map(({ head: about, rows }) => {
        const span = { colspan: list.length + 1, scope: 'rowgroup' };
        const lines = rows.map(row => {
            const cells = row.text.map(text => el('td', { class: 'number' }, text));
            return el('tr', null, el('th', { scope: 'row' }, row.label), ...cells);
        });
        const title = el('tr', { class: 'about' }, el('th', span, el('span', null, about)));
        return el('tbody', null, title, ...lines);
    });
    const more = all.length - list.length;
    return tableFrame(
        'Selected configurations beside each other',
        el('table', null, el('thead', null, el('tr', null, el('td'), ...head)), ...bodies),
        more > 0 ? el('p', null, plural(more, 'more configuration') + ' in the CSV.') : null
    );
}
