// SPDX-License-Identifier: BSD-3-Clause
//
// Parts that charts share: scales, axes, colours, dots, keys.

// The range of values, padded. Values far outside (three interquartile ranges) do not stretch it.
function rangeOf(values, pad) {
    const v = values.filter(x => x !== null && isFinite(x)).sort(d3.ascending);
    if (!v.length) return [0, 1];
    const q1 = d3.quantile(v, 0.25);
    const q3 = d3.quantile(v, 0.75);
    const reach = 3 * (q3 - q1) || Infinity;
    const low = Math.max(v[0], q1 - reach);
    const high = Math.min(v[v.length - 1], q3 + reach);
    if (low === high && pad !== 0)
        return [low - (Math.abs(low) * 0.05 || 0.5), high + (Math.abs(low) * 0.05 || 0.5)];
    const more = (high - low) * (pad === undefined ? 0.05 : pad);
    return [low - more, high + more];
}

// Viridis from the worst to the best score. part leaves out the end that is close to the
// background.
function colours(values, part) {
    const [low, high] = rangeOf(values, 0);
    const worst = D.sweep.maximize ? low : high;
    const best = D.sweep.maximize ? high : low;
    const dark = isDark();
    const from = part ? (dark ? 0.25 : 0) : 0;
    const to = part ? (dark ? 1 : 0.85) : 1;
    const scale = d3.scaleLinear([worst, best], [from, to]).clamp(true);
    const colour = v => d3.interpolateViridis(worst === best ? (from + to) / 2 : scale(v));
    return Object.assign(colour, { worst, best });
}

// Black or white, whichever is easier to read on the colour.
function inkOn(colour) {
    const c = d3.rgb(colour);
    const [r, g, b] = [c.r, c.g, c.b].map(v =>
        v <= 10 ? v / 3294.6 : Math.pow((v / 255 + 0.055) / 1.055, 2.4)
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? 'on-light' : 'on-dark';
}

function text(parent, x, y, string, classes, anchor) {
    return parent
        .append('text')
        .attr('x', x)
        .attr('y', y)
        .attr('class', classes || null)
        .attr('text-anchor', anchor || null)
        .text(string);
}

function path(parent, d, classes) {
    return parent.append('path').attr('class', classes).attr('d', d);
}

function line(parent, x1, y1, x2, y2, classes) {
    return path(parent, `M${x1},${y1}L${x2},${y2}`, classes);
}

function rect(parent, x, y, width, height, classes) {
    const node = parent.append('rect').attr('class', classes || null);
    return node.attr('x', x).attr('y', y).attr('width', width).attr('height', height);
}

// The name of an axis, a word a line, the last one at y. length: most characters of a word.
function axisName(s, a, x, y, length, classes, anchor) {
    const words = AXES[a].name.split('_').slice(0, 3);
    words.forEach((word, n) => {
        const top = y - 14 * (words.length - 1 - n);
        text(s.root, x, top, clip(word, length), classes, anchor);
    });
}

// At most about n ticks, at least `room` pixels apart.
function ticksOf(scale, n, room) {
    if (!scale.base) return scale.ticks(n);
    const lead = t => Math.round(t / Math.pow(10, Math.floor(Math.log10(t) + 1e-9)));
    const ticks = scale.ticks(n);
    const kinds = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map(leads =>
        ticks.filter(t => leads.includes(lead(t)))
    );
    const gaps = each => d3.pairs(each, (p, q) => Math.abs(scale(q) - scale(p)));
    const fits = each => gaps(each).every(gap => gap >= room);
    return kinds.find(each => each.length <= n && fits(each)) || kinds[3];
}

// Horizontal axis below the box {left, right, top, bottom}, with vertical grid lines and its name.
// whole: only integers have ticks.
function axisX(parent, box, scale, label, whole) {
    const n = Math.max(2, Math.floor((box.right - box.left) / 70));
    ticksOf(scale, n, 48)
        .filter(t => !whole || t % 1 === 0)
        .forEach(t => {
            line(parent, scale(t), box.top, scale(t), box.bottom, 'gridline');
            const label = whole ? String(t) : tickOf(scale, n)(t);
            text(parent, scale(t), box.bottom + 16, label, 'quiet', 'middle');
        });
    line(parent, box.left, box.bottom, box.right, box.bottom, 'rule');
    if (label) text(parent, box.right, box.bottom + 34, label + ' \u2192', 'quiet', 'end');
}

// Vertical axis at the left of the box; its name stands above it.
function axisY(parent, box, scale, label) {
    const n = Math.max(2, Math.floor((box.bottom - box.top) / 50));
    ticksOf(scale, n, 18).forEach(t => {
        line(parent, box.left, scale(t), box.right, scale(t), 'gridline');
        text(parent, box.left - 6, scale(t) + 4, tickOf(scale, n)(t), 'quiet', 'end');
    });
    if (label) text(parent, 4, box.top - 12, '\u2191 ' + label, 'quiet');
}

// The configurations that pass the filter and have a mean.
function shownConfigs() {
    return C.id.map((id, i) => i).filter(i => shown[i] && C.mean[i] !== null);
}

function boxOf(s, left, top, right, bottom) {
    return { left, top, right: s.width - right, bottom: s.height - bottom };
}

// One path for many dots of the same shape: 0 circle, 1 square, 2 triangle, 3 diamond, 4 cross.
function dots(parent, points, r, shape, classes) {
    const f = v => v.toFixed(1);
    const d = 1.4 * r;
    const t = f(0.67 * r);
    // From a point to the left and up to the beginning of the outline, and the outline.
    const [left, up, outline] = [
        [r, 0, `a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0`],
        [r, r, `h${2 * r}v${2 * r}h${-2 * r}z`],
        [0, 1.3 * r, `l${1.2 * r},${2.2 * r}h${-2.4 * r}z`],
        [0, d, `l${d},${d}l${-d},${d}l${-d},${-d}z`],
        [r, r / 3, `h${t}v-${t}h${t}v${t}h${t}v${t}h-${t}v${t}h-${t}v-${t}h-${t}z`]
    ][shape % 5];
    const ds = points.map(([x, y]) => `M${f(x - left)},${f(y - up)}${outline}`);
    return path(parent, ds.join(''), classes);
}

// A bar of the colour scale with its two ends.
function legend(parent, x, y, colour, label) {
    const width = 100;
    for (let k = 0; k < 25; k++) {
        const v = colour.worst + ((colour.best - colour.worst) * k) / 24;
        rect(parent, x + (k * width) / 25, y, width / 25 + 0.5, 8).attr('fill', colour(v));
    }
    text(parent, x, y - 5, label, 'quiet small');
    text(parent, x, y + 19, score(colour.worst), 'quiet small');
    text(parent, x + width, y + 19, score(colour.best), 'quiet small', 'end');
}

// Names with the shape and colour of their marks, in a row. entries: [{text, draw(parent, x, y)}]
function keys(parent, x, y, entries, right) {
    let at = x;
    let row = y;
    entries.forEach(entry => {
        const width = 22 + textWidth(entry.text);
        if (at > x && at + width > right) {
            at = x;
            row += 18;
        }
        entry.draw(parent, at + 6, row - 4);
        text(parent, at + 15, row, entry.text);
        at += width + 8;
    });
}

const ruler = document.createElement('canvas').getContext('2d');
ruler.font = '12px ' + getComputedStyle(document.body).fontFamily;

function textWidth(string) {
    return ruler.measureText(string).width;
}

// Shorten a text to a width. Bold text is about a tenth wider.
function fit(string, width) {
    let length = string.length;
    while (length > 2 && textWidth(clip(string, length)) > width) length--;
    return clip(string, length);
}

function scoreLabel() {
    return D.sweep.metric + (D.sweep.maximize ? '' : ' (lower is better)');
}
