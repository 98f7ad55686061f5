// SPDX-License-Identifier: BSD-3-Clause
//
// The interactive charts of a report page.
//
// Without this script the page has texts and tables. The script adds charts that share a selection and a
// filter, makes tables sortable, and saves charts and tables. Without D3 there are no charts.
//
//  * A chart is a row of `charts`, which its file adds: see below.
//  * `state` holds everything that a reader can change. changed() writes it to the address and
//    draws anew.
//  * A drawing registers marks (surface.js). Pointer, keyboard, tooltip and selection work on marks,
//    so a chart needs no handlers of its own and may merge thousands of dots into one path.
//  * Names from the data enter the page as text nodes, never as markup.
//  * In loops, i is an index of a configuration (order of place), a of an axis, k of a level, s of
//    a slot (replicate and fold).

// Each chart is a row {id, draw(chart, view), options}, which its file adds. An option is {key, label,
// choices(): [[value, text], ...], initial}. initial is the first choice if left out. The value is a
// member of `view` and of the address (`panel.key`).
const charts = [];

const D = JSON.parse(document.getElementById('espalier-data').textContent);
const C = D.config;
const N = C.id.length;
const AXES = D.axes;
const SIGN = D.sweep.maximize ? 1 : -1;
const indexOf = new Map(C.id.map((id, i) => [id, i]));
D.curves.forEach(curve => {
    if (!Array.isArray(curve.epoch))
        curve.epoch = Array.from({ length: curve.epoch }, (v, n) => n + 1);
});
const WITH_D3 = typeof d3 !== 'undefined';

// ---- elements ----

// An element with attributes and children. on: listeners by event; text children become text nodes.
function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name === 'on')
            Object.entries(value).forEach(([type, f]) => node.addEventListener(type, f));
        else if (value === true) node.setAttribute(name, '');
        else if (value !== null && value !== false) node.setAttribute(name, value);
    }
    node.append(...children.filter(child => child !== null));
    return node;
}

function button(text, label, action) {
    return el('button', { type: 'button', 'aria-label': label, on: { click: action } }, text);
}

// A <select>. choices: [[value, text], ...]
function select(choices, value, label, action) {
    const node = el('select', { 'aria-label': label, on: { change: () => action(node.value) } });
    choices.forEach(([v, text]) =>
        node.append(el('option', { value: v, selected: v === value }, text))
    );
    return node;
}

function download(name, blob) {
    const url = URL.createObjectURL(blob);
    const link = el('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function fileName(id, extension) {
    const name = D.sweep.name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^[_.]+|_+$/g, '');
    return `${name || 'sweep'}-${id}.${extension}`;
}

// ---- numbers and names as text ----

// At most `digits` significant digits, with a minus sign that is as wide as a plus.
function short(v, digits) {
    if (v === null || v === undefined) return 'none';
    const size = Math.abs(v);
    const exponential = () => Number(v).toExponential((digits || 4) - 1);
    const text =
        size !== 0 && (size < 1e-3 || size >= 1e6)
            ? exponential().replace(/\.?0+e/, 'e').replace('e+', 'e')
            : String(Number(Number(v).toPrecision(digits || 4)));
    return text.replace(/^-/, '\u2212');
}

// A score to three decimals, so that columns align, unless the sweep's scores are much larger or
// smaller.
const LARGEST = Math.max(0, ...D.config.mean.slice(0, 1000).map(v => Math.abs(v || 0)));

function score(v) {
    if (v === null || Math.abs(v) >= 1000 || (LARGEST < 0.01 && v !== 0)) return short(v);
    return v.toFixed(3).replace(/^-/, '\u2212');
}

// The half width of an interval, to as many decimals as its score.
function plusMinus(mean, half) {
    if (half === null) return score(mean);
    const isShort = score(mean).includes('e') || Math.abs(mean) >= 1000;
    return `${score(mean)} \u00b1 ${isShort ? short(half, 2) : score(half)}`;
}

function interval(low, high) {
    return `95 % interval ${score(low)} to ${score(high)}`;
}

function percent(v) {
    return (100 * v).toFixed(v < 0.1 ? 1 : 0) + '\u00a0%';
}

// The text of a tick of a scale: as many decimals as its neighbours.
function tickOf(scale, n) {
    const format = scale.base ? null : scale.tickFormat(n);
    return v =>
        (Math.abs(v) >= 1e4
            ? d3.format('~s')(v)
            : format && Math.abs(v) >= 1e-3
              ? format(v)
              : short(v, 6)
        ).replace(/^-/, '\u2212');
}

function seconds(v) {
    if (v < 120) return short(v, 3) + '\u00a0s';
    return v < 7200 ? short(v / 60, 3) + '\u00a0min' : short(v / 3600, 3) + '\u00a0h';
}

function clip(text, length) {
    return text.length > length ? text.slice(0, length - 1) + '\u2026' : text;
}

function plural(n, noun) {
    return n.toLocaleString('en') + ' ' + noun + (n === 1 ? '' : 's');
}

function name(i) {
    return 'c' + C.id[i];
}

// Levels as text: numbers with as few digits as keep them apart. Level -1: the model type has no
// such setting.
const LEVELS = AXES.map(axis => {
    if (!axis.numeric) return axis.levels.map(String);
    const texts = [3, 4, 6, 17].map(digits => axis.levels.map(v => short(v, digits)));
    return texts.find(each => new Set(each).size === each.length) || texts[3];
});

function levelText(a, k) {
    return k < 0 ? 'none' : LEVELS[a][k];
}

function settings(i, separator) {
    return AXES.map((axis, a) =>
        C.level[a][i] < 0 ? null : axis.name + ' ' + levelText(a, C.level[a][i])
    )
        .filter(text => text !== null)
        .join(separator || ' \u00b7 ');
}

function slotName(s) {
    const slot = D.slots[s];
    const replicate = D.sweep.replicates > 1 ? 'repl. ' + slot.replicate + ', ' : '';
    return replicate + 'fold ' + slot.fold + (slot.group ? ' ' + slot.group : '');
}

function configTip(i) {
    const lines = [name(i) + (C.place[i] === null ? '' : ', place ' + C.place[i])];
    const error = C.se[i] === null ? '' : ' (standard error)';
    if (C.mean[i] !== null)
        lines.push(`${D.sweep.metric} ${plusMinus(C.mean[i], C.se[i])}${error}`);
    return lines.concat(settings(i, '\n').split('\n'));
}
