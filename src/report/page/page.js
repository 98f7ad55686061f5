// SPDX-License-Identifier: BSD-3-Clause
//
// The interactive charts of a report page.
//
// The program writes a page that is complete without this script: text, tables and a static figure in each
// panel. The script replaces the figures by charts that share a selection and a filter, makes tables
// sortable, and saves figures and tables. Without D3 only the tables change.
//
//  * A chart is a row of `charts`: the id of its panel, its options, and a function that draws it.
//  * `state` holds everything that a reader can change. changed() writes it to the address and draws anew.
//  * A drawing registers marks: {key, config, x, y, tip()}. Pointer, keyboard, tooltip and selection work on
//    marks, so a chart needs no handlers of its own and may merge thousands of dots into one path.
//  * Names from the data enter the page as text nodes, never as markup.
//  * In loops, i is an index of a configuration (order of place), a of an axis, k of a level, s of a slot
//    (replicate and fold).
(function () {
    'use strict';

    const D = JSON.parse(document.getElementById('espalier-data').textContent);
    const C = D.config;
    const N = C.id.length;
    const AXES = D.axes;
    const SIGN = D.sweep.maximize ? 1 : -1;
    const indexOf = new Map(C.id.map((id, i) => [id, i]));
    const WITH_D3 = typeof d3 !== 'undefined';

    // ---- elements ------------------------------------------------------------------------------------------

    // An element with attributes and children. on: listeners by event; text children become text nodes.
    function el(tag, attributes, ...children) {
        const node = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes || {})) {
            if (name === 'on') Object.entries(value).forEach(([type, f]) => node.addEventListener(type, f));
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
        choices.forEach(([v, text]) => node.append(el('option', { value: v, selected: v === value }, text)));
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
        const name = D.sweep.name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^[_.]+|_+$/g, '') || 'sweep';
        return name + '-' + id + '.' + extension;
    }

    // ---- numbers and names as text -------------------------------------------------------------------------

    // At most `digits` significant digits, with a minus sign that is as wide as a plus.
    function short(v, digits) {
        if (v === null || v === undefined) return 'none';
        const size = Math.abs(v);
        const text = size !== 0 && (size < 1e-3 || size >= 1e6)
            ? Number(v).toExponential((digits || 4) - 1).replace(/\.?0+e/, 'e').replace('e+', 'e')
            : String(Number(Number(v).toPrecision(digits || 4)));
        return text.replace(/^-/, '\u2212');
    }

    // A score to three decimals, so that columns align, unless the sweep's scores are much larger or smaller.
    const LARGEST = Math.max(0, ...D.config.mean.slice(0, 1000).map(v => Math.abs(v || 0)));

    function score(v) {
        if (v === null || Math.abs(v) >= 1000 || (LARGEST < 0.01 && v !== 0)) return short(v);
        return v.toFixed(3).replace(/^-/, '\u2212');
    }

    // The half width of an interval, to as many decimals as its score.
    function plusMinus(mean, half) {
        return half === null ? score(mean) : score(mean) + ' \u00b1 ' + (score(mean).includes('e') || Math.abs(mean) >= 1000 ? short(half, 2) : score(half));
    }

    function percent(v) {
        return (100 * v).toFixed(v < 0.1 ? 1 : 0) + '\u00a0%';
    }

    // The text of a tick of a scale: as many decimals as its neighbours.
    function tickOf(scale, n) {
        const format = scale.base ? null : scale.tickFormat(n);
        return v => (Math.abs(v) >= 1e4 ? d3.format('~s')(v) : format && Math.abs(v) >= 1e-3 ? format(v) : short(v, 6)).replace(/^-/, '\u2212');
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

    // Levels as text: numbers with as few digits as keep them apart. Level -1: the model type has no such setting.
    const LEVELS = AXES.map(axis => {
        if (!axis.numeric) return axis.levels.map(String);
        const texts = [3, 4, 6, 17].map(digits => axis.levels.map(v => short(v, digits)));
        return texts.find(each => new Set(each).size === each.length) || texts[3];
    });

    function levelText(a, k) {
        return k < 0 ? 'none' : LEVELS[a][k];
    }

    function settings(i, separator) {
        return AXES.map((axis, a) => (C.level[a][i] < 0 ? null : axis.name + ' ' + levelText(a, C.level[a][i])))
            .filter(text => text !== null).join(separator || ' \u00b7 ');
    }

    function slotName(s) {
        const slot = D.slots[s];
        const fold = D.sweep.replicates > 1 ? slot.replicate + '/' + slot.fold : String(slot.fold);
        return (D.sweep.replicates > 1 ? 'fold ' : 'fold ') + fold + (slot.group ? ' ' + slot.group : '');
    }

    function configTip(i) {
        const lines = [name(i) + (C.place[i] === null ? '' : ', place ' + C.place[i])];
        if (C.mean[i] !== null) {
            lines.push(D.sweep.metric + ' ' + plusMinus(C.mean[i], C.se[i]) + (C.se[i] === null ? '' : ' (standard error)'));
        }
        return lines.concat(settings(i, '\n').split('\n'));
    }

    // ---- state ---------------------------------------------------------------------------------------------

    const state = {
        selected: [],                    // ids of configurations, in the order of selection
        levels: AXES.map(() => null),    // for each axis the Set of levels to show, or null for all
        top: 100,                        // show this percentage of the scored configurations
        view: {},                        // options of charts that differ from their defaults: 'panel.key'
        sort: {},                        // for each table 'column+' or 'column-'
        at: ''                           // the panel to which the reader has scrolled
    };
    const scored = C.mean.filter(v => v !== null).length;
    let shown = [];                      // for each configuration: does it pass the filter?

    function filterShown() {
        const limit = state.top >= 100 ? N : Math.max(1, Math.ceil(scored * state.top / 100));
        shown = C.id.map((id, i) => i < limit &&
            state.levels.every((set, a) => set === null || set.has(C.level[a][i])));
    }

    function isFiltered() {
        return state.top < 100 || state.levels.some(set => set !== null);
    }

    function isSelected(i) {
        return state.selected.includes(C.id[i]);
    }

    function toggle(id) {
        const at = state.selected.indexOf(id);
        if (at < 0) state.selected.push(id);
        else state.selected.splice(at, 1);
        changed();
    }

    // Read the address. Unknown names and values are ignored: the sweep may have changed since.
    function readAddress() {
        const text = location.hash.slice(1);
        Object.assign(state, { selected: [], levels: AXES.map(() => null), top: 100, view: {}, sort: {} });
        state.at = text.startsWith('panel-') ? text.slice(6) : '';
        const pairs = new URLSearchParams(state.at ? '' : text);
        pairs.forEach((value, key) => {
            const a = AXES.findIndex(axis => 'only.' + axis.name === key);
            if (key === 'at') state.at = value;
            else if (key === 'c') state.selected = value.split(',').map(Number).filter(id => indexOf.has(id));
            else if (key === 'top' && value > 0 && value < 100) state.top = Number(value);
            else if (key.startsWith('sort.')) state.sort[key.slice(5)] = value;
            else if (a >= 0) state.levels[a] = levelsOf(a, value);
            else if (key.includes('.')) state.view[key] = value;
        });
    }

    // The levels of an axis from a JSON list of their texts; null, which keeps all, if there is none.
    function levelsOf(a, list) {
        let texts = null;
        try {
            texts = JSON.parse(list);
        } catch (e) {
            return null;
        }
        const kept = [-1].concat(AXES[a].levels.map((v, k) => k)).filter(k => Array.isArray(texts) && texts.includes(levelText(a, k)));
        return kept.length ? new Set(kept) : null;
    }

    function writeAddress() {
        const pairs = new URLSearchParams();
        if (state.selected.length) pairs.set('c', state.selected.join(','));
        if (state.top < 100) pairs.set('top', state.top);
        state.levels.forEach((set, a) => {
            if (set) pairs.set('only.' + AXES[a].name, JSON.stringify([...set].map(k => levelText(a, k))));
        });
        Object.entries(state.view).forEach(([key, value]) => pairs.set(key, value));
        Object.entries(state.sort).forEach(([key, value]) => pairs.set('sort.' + key, value));
        if (state.at) pairs.set('at', state.at);
        const text = '#' + pairs.toString().replace(/%2C/g, ',');
        if (text === (location.hash || '#')) return;
        history.replaceState(null, '', text);
    }

    function changed() {
        filterShown();
        writeAddress();
        showBars();
        markRows();
        redraw();
    }

    // ---- surfaces: an SVG with marks -----------------------------------------------------------------------

    // label names the figure for a screen reader. Returns {root, width, height, marks}. hit(x, y) may be set to
    // find the mark at a point; otherwise the nearest one within 16 pixels is taken.
    function surface(chart, width, height, label, parent) {
        const root = d3.select(parent || chart.node).append('svg')
            .attr('viewBox', '0 0 ' + width + ' ' + height).attr('width', width).attr('height', height)
            .attr('role', 'img').attr('aria-label', label);
        const s = { root, width, height, marks: [], hit: null, tree: null, chart };
        chart.surfaces.push(s);
        const node = root.node();
        node.addEventListener('pointermove', event => pointAt(s, event));
        node.addEventListener('pointerleave', hideTip);
        node.addEventListener('click', event => {
            const mark = markAt(s, event);
            if (mark) choose(mark);
        });
        return s;
    }

    function markAt(s, event) {
        const box = s.root.node().getBoundingClientRect();
        const scale = s.width / box.width;
        const x = (event.clientX - box.left) * scale;
        const y = (event.clientY - box.top) * scale;
        if (s.hit) return s.hit(x, y) || null;
        s.tree = s.tree || d3.quadtree(s.marks, m => m.x, m => m.y);
        return s.tree.find(x, y, 16) || null;
    }

    function choose(mark) {
        if (mark.go) mark.go();
        else if (mark.config !== null && mark.config !== undefined) toggle(C.id[mark.config]);
    }

    function pointAt(s, event) {
        const mark = markAt(s, event);
        ring(s.chart, null);
        if (!mark) return hideTip();
        ring(s.chart, mark, s);
        showTip(mark, event.clientX, event.clientY);
        return undefined;
    }

    // Mark the mark under the pointer or the keyboard.
    function ring(chart, mark, s) {
        chart.surfaces.forEach(each => each.root.selectAll('.focus').remove());
        if (!mark) return;
        if (mark.w) {
            s.root.append('rect').attr('class', 'focus').attr('x', mark.x - mark.w / 2).attr('y', mark.y - mark.h / 2)
                .attr('width', mark.w).attr('height', mark.h);
        } else {
            s.root.append('circle').attr('class', 'focus').attr('cx', mark.x).attr('cy', mark.y).attr('r', 8);
        }
    }

    const tip = el('div', { class: 'tip', hidden: true });
    const heard = el('div', { class: 'heard', role: 'status', 'aria-live': 'polite' });

    function showTip(mark, x, y) {
        tip.replaceChildren(...mark.tip().map(line => el('div', null, line)));
        tip.hidden = false;
        const box = tip.getBoundingClientRect();
        const left = x + 14 + box.width > innerWidth ? x - 14 - box.width : x + 14;
        const top = y + 14 + box.height > innerHeight ? y - 14 - box.height : y + 14;
        tip.style.left = Math.max(4, left) + 'px';
        tip.style.top = Math.max(4, top) + 'px';
    }

    function hideTip() {
        tip.hidden = true;
    }

    // Keys: arrows, Page Up and Down, Home and End move over the marks of all surfaces; Enter or space selects.
    function onKey(panel, event) {
        const all = [].concat(...panel.chart.surfaces.map(s => s.marks.map(mark => ({ s, mark }))));
        if (!all.length || event.ctrlKey || event.metaKey || event.altKey) return;
        const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
        let at = all.findIndex(one => one.mark.key === panel.active);
        if (event.key in steps) at = at < 0 ? 0 : at + steps[event.key];
        else if (event.key === 'Home') at = 0;
        else if (event.key === 'End') at = all.length - 1;
        else if (event.key === 'Escape') return leave(panel);
        else if ((event.key === 'Enter' || event.key === ' ') && at >= 0) choose(all[at].mark);
        else return;
        event.preventDefault();
        const one = all[Math.min(all.length - 1, Math.max(0, at))];
        panel.active = one.mark.key;
        showActive(panel, one);
    }

    function leave(panel) {
        panel.active = null;
        ring(panel.chart, null);
        hideTip();
    }

    function showActive(panel, one) {
        if (one.s.reveal) one.s.reveal(one.mark);
        ring(panel.chart, one.mark, one.s);
        const box = one.s.root.node().getBoundingClientRect();
        const scale = box.width / one.s.width;
        showTip(one.mark, box.left + one.mark.x * scale, box.top + one.mark.y * scale);
        const picked = one.mark.config !== null && one.mark.config !== undefined && isSelected(one.mark.config);
        heard.textContent = one.mark.tip().join(', ') + (picked ? ', selected' : '');
    }

    // ---- parts of charts -----------------------------------------------------------------------------------

    // The range of values, padded. Values far outside (three interquartile ranges) do not stretch it.
    function rangeOf(values, pad) {
        const v = values.filter(x => x !== null && isFinite(x)).sort(d3.ascending);
        if (!v.length) return [0, 1];
        const q1 = d3.quantile(v, 0.25);
        const q3 = d3.quantile(v, 0.75);
        const reach = 3 * (q3 - q1) || Infinity;
        const low = Math.max(v[0], q1 - reach);
        const high = Math.min(v[v.length - 1], q3 + reach);
        if (low === high && pad !== 0) return [low - (Math.abs(low) * 0.05 || 0.5), high + (Math.abs(low) * 0.05 || 0.5)];
        const more = (high - low) * (pad === undefined ? 0.05 : pad);
        return [low - more, high + more];
    }

    // Viridis from the worst to the best score. part leaves out the end that is close to the background.
    function colours(values, part) {
        const [low, high] = rangeOf(values, 0);
        const worst = D.sweep.maximize ? low : high;
        const best = D.sweep.maximize ? high : low;
        const dark = isDark();
        const from = part ? (dark ? 0.25 : 0) : 0;
        const to = part ? (dark ? 1 : 0.85) : 1;
        const scale = d3.scaleLinear().domain([worst, best]).range([from, to]).clamp(true);
        const colour = v => d3.interpolateViridis(worst === best ? (from + to) / 2 : scale(v));
        return Object.assign(colour, { worst, best });
    }

    // Black or white, whichever is easier to read on the colour.
    function inkOn(colour) {
        const c = d3.rgb(colour);
        const [r, g, b] = [c.r, c.g, c.b].map(v => (v <= 10 ? v / 3294.6 : Math.pow((v / 255 + 0.055) / 1.055, 2.4)));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? 'on-light' : 'on-dark';
    }

    function text(parent, x, y, string, classes, anchor) {
        return parent.append('text').attr('x', x).attr('y', y).attr('class', classes || null)
            .attr('text-anchor', anchor || null).text(string);
    }

    function line(parent, x1, y1, x2, y2, classes) {
        return parent.append('path').attr('class', classes).attr('d', 'M' + x1 + ',' + y1 + 'L' + x2 + ',' + y2);
    }

    function ticksOf(scale, n) {
        if (!scale.base) return scale.ticks(n);
        const lead = t => Math.round(t / Math.pow(10, Math.floor(Math.log10(t) + 1e-9)));
        const ticks = scale.ticks(n);
        const kinds = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map(leads => ticks.filter(t => leads.includes(lead(t))));
        return kinds.find(each => each.length <= n) || kinds[3];
    }

    // Horizontal axis below the box {left, right, top, bottom}, with vertical grid lines and its name. whole: only
    // integers have ticks.
    function axisX(parent, box, scale, label, whole) {
        const n = Math.max(2, Math.floor((box.right - box.left) / 70));
        ticksOf(scale, n).filter(t => !whole || t % 1 === 0).forEach(t => {
            line(parent, scale(t), box.top, scale(t), box.bottom, 'gridline');
            text(parent, scale(t), box.bottom + 16, (whole ? String(t) : tickOf(scale, n)(t)), 'quiet', 'middle');
        });
        line(parent, box.left, box.bottom, box.right, box.bottom, 'rule');
        if (label) text(parent, box.right, box.bottom + 34, label + ' \u2192', 'quiet', 'end');
    }

    // Vertical axis at the left of the box; its name stands above it.
    function axisY(parent, box, scale, label) {
        const n = Math.max(2, Math.floor((box.bottom - box.top) / 50));
        ticksOf(scale, n).forEach(t => {
            line(parent, box.left, scale(t), box.right, scale(t), 'gridline');
            text(parent, box.left - 6, scale(t) + 4, tickOf(scale, n)(t), 'quiet', 'end');
        });
        if (label) text(parent, 4, box.top - 12, '\u2191 ' + label, 'quiet');
    }

    function boxOf(s, left, top, right, bottom) {
        return { left, top, right: s.width - right, bottom: s.height - bottom };
    }

    // One path for many dots of the same shape: 0 circle, 1 square, 2 triangle, 3 diamond, 4 cross.
    function dots(parent, points, r, shape, classes) {
        const f = v => v.toFixed(1);
        const draw = [
            (x, y) => 'M' + f(x - r) + ',' + f(y) + 'a' + r + ',' + r + ' 0 1 0 ' + 2 * r + ',0a' + r + ',' + r + ' 0 1 0 ' + -2 * r + ',0',
            (x, y) => 'M' + f(x - r) + ',' + f(y - r) + 'h' + 2 * r + 'v' + 2 * r + 'h' + -2 * r + 'z',
            (x, y) => 'M' + f(x) + ',' + f(y - 1.3 * r) + 'l' + 1.2 * r + ',' + 2.2 * r + 'h' + -2.4 * r + 'z',
            (x, y) => 'M' + f(x) + ',' + f(y - 1.4 * r) + 'l' + 1.4 * r + ',' + 1.4 * r + 'l' + -1.4 * r + ',' + 1.4 * r + 'l' + -1.4 * r + ',' + -1.4 * r + 'z',
            (x, y) => 'M' + f(x - r) + ',' + f(y - r / 3) + 'h' + f(0.67 * r) + 'v' + f(-0.67 * r) + 'h' + f(0.67 * r) + 'v' + f(0.67 * r) + 'h' + f(0.67 * r) +
                'v' + f(0.67 * r) + 'h' + f(-0.67 * r) + 'v' + f(0.67 * r) + 'h' + f(-0.67 * r) + 'v' + f(-0.67 * r) + 'h' + f(-0.67 * r) + 'z'
        ][shape % 5];
        return parent.append('path').attr('class', classes).attr('d', points.map(p => draw(p[0], p[1])).join(''));
    }

    // A bar of the colour scale with its two ends.
    function legend(parent, x, y, colour, label) {
        const width = 100;
        for (let k = 0; k < 25; k++) {
            const v = colour.worst + (colour.best - colour.worst) * k / 24;
            parent.append('rect').attr('x', x + k * width / 25).attr('y', y).attr('width', width / 25 + 0.5)
                .attr('height', 8).attr('fill', colour(v));
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
        return row;
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

    // ---- forest plot ---------------------------------------------------------------------------------------

    const ROW = 20;

    function drawForest(chart, view) {
        const order = C.id.map((id, i) => i).filter(i => shown[i] && C.diff[i] !== null);
        if (view.sort === 'cost') order.sort((i, j) => C.seconds[i] - C.seconds[j]);
        if (view.sort === 'id') order.sort((i, j) => C.id[i] - C.id[j]);
        const rows = view.rows === 'all' ? order : order.slice(0, Number(view.rows));
        if (!rows.length) return nothing(chart);
        const columns = forestColumns(chart, rows);
        const scroller = el('div', { class: 'scroller' });
        chart.node.append(scroller);
        forestHead(chart, columns, scroller);
        const s = surface(chart, chart.width, rows.length * ROW + 4, 'Differences to the best configuration', scroller);
        line(s.root, columns.x(0), 0, columns.x(0), s.height, 'rule');
        const body = s.root.append('g');
        s.marks = rows.map((i, r) => ({ key: 'c' + C.id[i], config: i, x: columns.x(C.diff[i]), y: (r + 0.5) * ROW, tip: () => forestTip(i) }));
        s.hit = (x, y) => s.marks[Math.floor(y / ROW)];
        s.reveal = mark => {
            const top = mark.y - ROW;
            if (top < scroller.scrollTop) scroller.scrollTop = top;
            if (top + 5 * ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + 5 * ROW - scroller.clientHeight;
        };
        const render = () => forestRows(body, rows, columns, scroller.scrollTop);
        scroller.addEventListener('scroll', () => {
            chart.panel.scrolled = scroller.scrollTop;
            requestAnimationFrame(render);
        });
        scroller.scrollTop = chart.panel.scrolled || 0;
        render();
        chart.note = rows.length < order.length
            ? 'The first ' + rows.length + ' of ' + plural(order.length, 'configuration') + '. ' : '';
        if (rows.some(i => !C.complete[i])) chart.note += 'Hollow: some trials of the configuration have no score. ';
        return undefined;
    }

    // Columns of the forest plot: name, the values of the axes where there is room, the plot, the mean.
    function forestColumns(chart, rows) {
        const wide = chart.width >= 560;
        let left = Math.max(36, ...rows.slice(0, 400).map(i => textWidth(name(i)))) + 14;
        const narrow = left;
        const axes = [];
        AXES.forEach((axis, a) => {
            const head = Math.max(...axis.name.split('_').map(textWidth));
            const width = Math.max(head, ...axis.levels.map((v, k) => textWidth(clip(levelText(a, k), 14)))) + 14;
            axes.push({ a, left, width });
            left += width;
        });
        const room = wide && left < chart.width * 0.45;
        const box = { left: (room ? left : narrow) + 10, right: chart.width - (wide ? 108 : 12) };
        const values = [].concat(...rows.slice(0, 400).map(i => [C.low[i], C.high[i], C.diff[i]]));
        const folds = [].concat(...rows.slice(0, 400).map(i => foldDifferences(i)));
        const [low, high] = d3.extent(values.concat(d3.extent(rangeOf(folds, 0))).filter(v => v !== null));
        const pad = (high - low) * 0.04 || 0.5;
        const x = d3.scaleLinear().domain([low - pad, high + pad]).range([box.left, box.right]).clamp(true);
        return { axes: room ? axes : [], box, x, means: wide };
    }

    function foldDifferences(i) {
        const best = indexOf.get(D.choice.best);
        if (best === undefined) return [];
        return D.value.map(row => (row[i] === null || row[best] === null ? null : row[i] - row[best])).filter(v => v !== null);
    }

    function forestHead(chart, columns, scroller) {
        const head = el('div', { class: 'head' });
        scroller.append(head);
        const s = surface(chart, chart.width, 62, 'Columns of the forest plot', head);
        const { box, x } = columns;
        columns.axes.forEach(({ a, left }) => AXES[a].name.split('_').slice(0, 3).forEach((word, n, words) =>
            text(s.root, left, 56 - 14 * (words.length - 1 - n), word, 'quiet')));
        text(s.root, 4, 56, 'id', 'quiet');
        if (columns.means) text(s.root, s.width - 4, 56, 'mean \u00b1 se', 'quiet', 'end');
        text(s.root, box.left, 14, 'difference to the best, ' + D.sweep.metric, 'quiet');
        if (box.right - box.left > 340) text(s.root, box.right, 14, D.sweep.maximize ? 'better \u2192' : 'worse \u2192', 'quiet', 'end');
        const n = Math.max(2, Math.floor((box.right - box.left) / 70));
        x.ticks(n).forEach(t => {
            text(s.root, x(t), 48, tickOf(x, n)(t), 'quiet', 'middle');
            line(s.root, x(t), 54, x(t), 60, 'rule');
        });
        line(s.root, box.left, 60.5, box.right, 60.5, 'rule');
    }

    // Draw the rows near the visible part, so that a list of thousands scrolls smoothly.
    function forestRows(body, rows, columns, top) {
        body.selectAll('*').remove();
        const from = Math.max(0, Math.floor(top / ROW) - 15);
        rows.slice(from, from + 65).forEach((i, r) => forestRow(body, i, (from + r + 0.5) * ROW, columns));
    }

    function forestRow(body, i, y, columns) {
        const { x, box } = columns;
        const strong = isSelected(i) || C.id[i] === D.choice.chosen ? 'strong' : '';
        if (isSelected(i)) body.append('rect').attr('class', 'row-tint').attr('x', 0).attr('y', y - ROW / 2).attr('width', box.right + 108).attr('height', ROW);
        text(body, 4, y + 4, name(i), strong);
        columns.axes.forEach(({ a, left }) => text(body, left, y + 4, C.level[a][i] < 0 ? '' : clip(levelText(a, C.level[a][i]), 14), strong));
        line(body, x(0), y - ROW / 2, x(0), y + ROW / 2, 'rule');
        if (C.low[i] !== null) line(body, x(C.low[i]), y, x(C.high[i]), y, 's0 stroke');
        dots(body, foldDifferences(i).map(v => [x(v), y]), 2.5, 0, 's-quiet hollow');
        if (C.within[i]) body.append('circle').attr('class', 's1 stroke').attr('cx', x(C.diff[i])).attr('cy', y).attr('r', 7);
        dots(body, [[x(C.diff[i]), y]], 4, 0, C.complete[i] ? 's0 fill' : 's0 hollow');
        if (columns.means) text(body, box.right + 104, y + 4, plusMinus(C.mean[i], C.se[i]), strong, 'end');
    }

    function forestTip(i) {
        const lines = configTip(i);
        if (C.low[i] !== null) lines.splice(2, 0, 'difference ' + score(C.diff[i]) + ', 95 % interval ' + score(C.low[i]) + ' to ' + score(C.high[i]));
        return lines;
    }

    // ---- configurations x folds ----------------------------------------------------------------------------

    function slotMean(s) {
        return d3.mean(D.value[s].filter((v, i) => v !== null && shown[i]));
    }

    function drawFolds(chart, view) {
        const slots = D.slots.map((slot, s) => s);
        const means = slots.map(slotMean);
        if (view.rows === 'score') slots.sort((a, b) => SIGN * (d3.ascending(means[a], means[b])));
        const order = C.id.map((id, i) => i).filter(i => shown[i] && D.value.some(row => row[i] !== null));
        if (!order.length) return nothing(chart);
        if (view.columns !== 'place') order.sort((i, j) => byValue(D.value[view.columns], i, j));
        const cells = v => (view.colour === 'score' ? (s, i) => v(s, i) : (s, i) => (v(s, i) === null ? null : v(s, i) - means[s]));
        const value = cells((s, i) => D.value[s][i]);
        const left = Math.max(...slots.map(s => textWidth(clip(slotName(s), 22)))) + 12;
        const right = 54 + Math.max(...means.map(m => textWidth(score(m === undefined ? 0 : m)))) * 1.1;
        const bins = binsOf(order, Math.min(Math.floor((chart.width - left - right) / 2), Math.max(60, Math.floor(8000 / slots.length))));
        const height = Math.max(9, Math.min(28, 460 / slots.length));
        const s = surface(chart, chart.width, 44 + slots.length * height + 38, 'Scores of configurations by fold');
        const layout = { left, right, top: 44, w: (chart.width - left - right) / bins.length, h: height, means };
        const table = slots.map(slot => bins.map(bin => meanOf(bin.map(i => value(slot, i)))));
        const colour = colours([].concat(...table));
        foldCells(s, table, bins, slots, layout, colour);
        foldMargin(s, slots, layout);
        legend(s.root, left, 15, colour, view.colour === 'score' ? D.sweep.metric : 'difference to the mean of the fold');
        chart.note = bins.length < order.length ? 'A column is the mean of ' + bins[0].length + ' neighbours. ' : '';
        text(s.root, s.width - right, s.height - 6, plural(order.length, 'configuration') + (view.columns === 'place' ? ', best first' : ', by ' + slotName(Number(view.columns))) + ' \u2192', 'quiet', 'end');
        return undefined;
    }

    function byValue(row, i, j) {
        if (row[i] === null || row[j] === null) return (row[i] === null) - (row[j] === null);
        return SIGN * (row[j] - row[i]);
    }

    function meanOf(values) {
        const m = d3.mean(values.filter(v => v !== null));
        return m === undefined ? null : m;
    }

    // At most n runs of neighbours.
    function binsOf(order, n) {
        const size = Math.max(1, Math.ceil(order.length / n));
        return d3.range(0, order.length, size).map(from => order.slice(from, from + size));
    }

    function foldCells(s, table, bins, slots, layout, colour) {
        const { left, top, w, h } = layout;
        const gap = w > 5 ? 0.5 : 0;
        table.forEach((row, r) => row.forEach((v, b) => {
            const cell = s.root.append('rect').attr('x', left + b * w).attr('y', top + r * h)
                .attr('width', Math.max(0.5, w - gap + (gap ? 0 : 0.3))).attr('height', h - 0.5);
            if (v === null) cell.attr('class', 'nothing');
            else cell.attr('fill', colour(v));
            s.marks.push({ key: slots[r] + '.' + C.id[bins[b][0]], config: bins[b][0], x: left + (b + 0.5) * w, y: top + (r + 0.5) * h, w: Math.max(w, 3), h, tip: () => foldTip(slots[r], bins[b], v) });
        }));
        s.hit = (x, y) => {
            const b = Math.floor((x - left) / w);
            const r = Math.floor((y - top) / h);
            return b >= 0 && b < bins.length && r >= 0 && r < slots.length ? s.marks[r * bins.length + b] : null;
        };
        bins.forEach((bin, b) => {
            if (!bin.some(isSelected)) return;
            s.root.append('rect').attr('class', 'picked').attr('x', left + b * w).attr('y', top).attr('width', Math.max(w, 2)).attr('height', slots.length * h);
            if (w > 0) dots(s.root, [[left + (b + 0.5) * w, top + slots.length * h + 8]], 4, 2, 's0 fill');
        });
    }

    function foldTip(s, bin, v) {
        if (bin.length === 1) return [name(bin[0]) + ', ' + slotName(s), v === null ? 'no score' : D.sweep.metric + ' ' + score(D.value[s][bin[0]])].concat(settings(bin[0], '\n').split('\n'));
        return [slotName(s), plural(bin.length, 'configuration') + ', ' + name(bin[0]) + ' to ' + name(bin[bin.length - 1]), 'mean ' + (v === null ? 'none' : score(v))];
    }

    // The mean of each fold beside its row, as a dot and a number. The hardest fold is set in bold.
    function foldMargin(s, slots, layout) {
        const x = d3.scaleLinear().domain(d3.extent(layout.means)).range([s.width - layout.right + 10, s.width - layout.right + 42]);
        const worst = d3.min(layout.means, m => SIGN * m);
        const many = layout.h < 12;
        const flat = x.domain()[0] === x.domain()[1];
        text(s.root, s.width - 4, layout.top - 8, 'mean', 'quiet', 'end');
        slots.forEach((slot, r) => {
            const y = layout.top + (r + 0.5) * layout.h;
            const m = layout.means[slot];
            if (m === undefined) return;
            const hardest = SIGN * m === worst && !flat;
            if (!many || r % 2 === 0 || hardest) {
                text(s.root, layout.left - 8, y + 4, clip(slotName(slot), 22), hardest ? 'strong' : 'quiet', 'end');
                text(s.root, s.width - 4, y + 4, score(m), hardest ? 'strong' : 'quiet', 'end');
            }
            dots(s.root, [[flat ? s.width - layout.right + 26 : x(m), y]], 3, hardest ? 2 : 0, hardest ? 's1 fill' : 's-quiet fill');
        });
    }

    // ---- one axis ------------------------------------------------------------------------------------------

    function axisChoices() {
        return AXES.map((axis, a) => [String(a), axis.name]);
    }

    // The axes that matter most, where the analysis of variance shows them; else those that most configurations have.
    function axesByWeight() {
        const main = a => (D.effects.complete ? D.effects.terms : []).filter(t => t.axes.length === 1 && t.axes[0] === a).map(t => t.share)[0] || 0;
        const having = AXES.map((axis, a) => (axis.levels.length > 1 ? C.level[a].filter(k => k >= 0).length : 0));
        return AXES.map((axis, a) => a).sort((a, b) => main(b) - main(a) || having[b] - having[a] || a - b).map(String);
    }

    // A scale for the levels of an axis: linear or logarithmic where the axis is, else equal steps.
    function levelScale(a, range) {
        const axis = AXES[a];
        const ks = axis.levels.map((v, k) => k);
        const log = axis.numeric && axis.log && axis.levels[0] > 0;
        if (!axis.numeric || axis.levels.length < 2) {
            const steps = d3.scalePoint().domain(ks).range(range).padding(0.5);
            return Object.assign(k => steps(k), { kind: '' });
        }
        const scale = (log ? d3.scaleLog() : d3.scaleLinear()).domain([axis.levels[0], axis.levels[axis.levels.length - 1]]);
        const room = Math.min(40, (range[1] - range[0]) * 0.08);
        scale.range([range[0] + room, range[1] - room]);
        return Object.assign(k => scale(axis.levels[k]), { kind: log ? ' (log scale)' : '' });
    }

    function drawAxis(chart, view) {
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
        const inside = C.id.map((id, i) => i).filter(i => shown[i] && C.mean[i] !== null && C.level[a][i] >= 0);
        const means = d3.extent([].concat(...rows.map(r => [r.low, r.high, r.mean, r.best])).filter(v => v !== null));
        const y = d3.scaleLinear().domain(d3.extent(rangeOf(inside.map(i => C.mean[i])).concat(means))).range([box.bottom, box.top]).clamp(true);
        axisY(s.root, box, y, scoreLabel());
        levelTicks(s.root, box, a, x);
        const at = i => [x(C.level[a][i]) + ((i * 7919) % 17 - 8) * 0.9, y(C.mean[i])];
        dots(s.root, inside.map(at), 2, 0, 's-quiet fill faint');
        inside.forEach(i => s.marks.push({ key: 'c' + C.id[i], config: i, x: at(i)[0], y: at(i)[1], tip: () => configTip(i) }));
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
        text(parent, box.right, box.bottom + 36, AXES[a].name + (AXES[a].unit ? ', ' + AXES[a].unit : '') + x.kind + ' \u2192', 'quiet', 'end');
    }

    function marginalMeans(s, a, x, y, rows) {
        const there = rows.map((r, k) => ({ r, k })).filter(({ r }) => r.mean !== null);
        if (!there.length) return;
        const path = d3.line().x(({ k }) => x(k));
        s.root.append('path').attr('class', 's1 stroke thin').attr('d', path.y(({ r }) => y(r.best))(there));
        if (AXES[a].numeric) s.root.append('path').attr('class', 's0 stroke thin').attr('d', path.y(({ r }) => y(r.mean))(there));
        there.forEach(({ r, k }) => {
            if (r.low !== null) line(s.root, x(k), y(r.low), x(k), y(r.high), 's0 stroke');
            dots(s.root, [[x(k), y(r.mean)]], 5, 0, 's0 fill');
            dots(s.root, [[x(k), y(r.best)]], 4, 3, 's1 hollow');
            s.marks.push({ key: 'level' + k, config: null, x: x(k), y: y(r.mean), tip: () => [AXES[a].name + ' ' + levelText(a, k), 'mean ' + score(r.mean) + (r.low === null ? '' : ', 95 % interval ' + score(r.low) + ' to ' + score(r.high)), 'best configuration ' + score(r.best), plural(r.n, 'trial')] });
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
        return [a + sign * short / 2, b - sign * short / 2];
    }

    function drawShares(chart, a, width, parts) {
        const terms = D.effects.terms.slice().sort((p, q) => q.share - p.share).slice(0, 12);
        const s = surface(chart, width, 62 + 22 * (terms.length + 1), 'Share of the variance that each axis explains', parts);
        const label = t => t.axes.map(n => AXES[n].name).join(' \u00d7 ');
        const left = Math.min(width * 0.55, Math.max(60, ...terms.map(t => textWidth(label(t)))) + 10);
        const rest = Math.max(0, 1 - d3.sum(terms, t => t.share));
        const x = d3.scaleLinear().domain([0, d3.max(terms.map(t => t.share).concat(rest))]).range([0, width - left - 52]);
        text(s.root, 0, 28, 'share of the variance between configurations', 'quiet');
        terms.forEach((t, n) => {
            shareBar(s, n, left, x, label(t), t.share, t.axes.includes(a) ? 's0 fill' : 's-done fill');
            s.marks.push({ key: 'term' + t.axes.join('.'), config: null, x: left + x(t.share), y: 51 + 22 * n, tip: () => [label(t), percent(t.share) + ' of the variance'], go: () => showTerm(t) });
        });
        shareBar(s, terms.length, left, x, 'rest', rest, 's-quiet fill faint');
        s.hit = (px, py) => s.marks[Math.floor((py - 40) / 22)];
    }

    function shareBar(s, n, left, x, label, share, classes) {
        const y = 40 + 22 * n;
        text(s.root, left - 8, y + 15, fit(label, left - 8), null, 'end');
        s.root.append('rect').attr('class', classes).attr('x', left).attr('y', y + 3).attr('width', Math.max(1, x(share))).attr('height', 16);
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

    // ---- two axes ------------------------------------------------------------------------------------------

    function drawPair(chart, view) {
        const a = Math.min(AXES.length - 1, Number(view.x));
        const b = Math.min(AXES.length - 1, Number(view.y));
        const cells = pairCells(a, b, view.value);
        if (a === b || !cells.size) return nothing(chart, a === b ? 'Choose two different axes.' : undefined);
        const nx = AXES[a].levels.length;
        const ny = AXES[b].levels.length;
        const left = Math.max(textWidth(AXES[b].name), ...AXES[b].levels.map((v, k) => textWidth(clip(levelText(b, k), 16)))) + 16;
        const w = Math.min(110, (chart.width - left - 20) / nx);
        const h = Math.max(22, Math.min(40, 400 / ny));
        const s = surface(chart, chart.width, 66 + ny * h + 48, 'Scores by ' + AXES[a].name + ' and ' + AXES[b].name);
        const at = (kx, ky) => [left + kx * w, 66 + (ny - 1 - ky) * h];
        const colour = colours([...cells.values()].map(cell => cell.value));
        legend(s.root, left, 15, colour, D.sweep.metric + (view.value === 'best' ? ', best of the pair' : ', mean of the pair'));
        pairAxes(s, a, b, at, w, h, left);
        d3.range(ny).forEach(ky => d3.range(nx).forEach(kx => pairCell(s, cells.get(kx + ',' + ky), kx, ky, { a, b, at, w, h, colour })));
        pairBadge(chart, s, a, b, at, w, h);
        return undefined;
    }

    // For each pair of levels the mean or best score of the shown configurations, and the best of them.
    function pairCells(a, b, kind) {
        const cells = new Map();
        for (let i = 0; i < N; i++) {
            if (!shown[i] || C.mean[i] === null || C.level[a][i] < 0 || C.level[b][i] < 0) continue;
            const key = C.level[a][i] + ',' + C.level[b][i];
            const cell = cells.get(key) || { first: i, n: 0, sum: 0, picked: false };
            cell.n++;
            cell.sum += C.mean[i];
            cell.picked = cell.picked || isSelected(i);
            cells.set(key, cell);
        }
        cells.forEach(cell => { cell.value = kind === 'best' ? C.mean[cell.first] : cell.sum / cell.n; });
        return cells;
    }

    function pairAxes(s, a, b, at, w, h, left) {
        AXES[a].levels.forEach((v, k) => {
            if (w > 26 || k % Math.ceil(30 / w) === 0) text(s.root, at(k, 0)[0] + w / 2, at(0, 0)[1] + h + 16, fit(levelText(a, k), Math.max(24, w)), null, 'middle');
        });
        AXES[b].levels.forEach((v, k) => text(s.root, left - 8, at(0, k)[1] + h / 2 + 4, clip(levelText(b, k), 16), null, 'end'));
        text(s.root, 0, 58, '\u2191 ' + AXES[b].name, 'quiet');
        text(s.root, left + AXES[a].levels.length * w, at(0, 0)[1] + h + 36, AXES[a].name + ' \u2192', 'quiet', 'end');
    }

    function pairCell(s, cell, kx, ky, l) {
        const [x, y] = l.at(kx, ky);
        const fill = cell ? l.colour(cell.value) : null;
        s.root.append('rect').attr('class', cell ? 'cell' : 'nothing').attr('fill', fill).attr('x', x).attr('y', y).attr('width', l.w).attr('height', l.h);
        if (!cell) return;
        if (l.w > 44) text(s.root, x + l.w / 2, y + l.h / 2 + 4, score(cell.value), inkOn(fill), 'middle');
        if (cell.picked) s.root.append('rect').attr('class', 'picked').attr('x', x + 2).attr('y', y + 2).attr('width', l.w - 4).attr('height', l.h - 4);
        s.marks.push({
            key: kx + '.' + ky, config: cell.first, x: x + l.w / 2, y: y + l.h / 2, w: l.w, h: l.h,
            tip: () => [AXES[l.a].name + ' ' + levelText(l.a, kx) + ', ' + AXES[l.b].name + ' ' + levelText(l.b, ky), score(cell.value), plural(cell.n, 'configuration') + ', best ' + name(cell.first)]
        });
        s.hit = (px, py) => s.marks.find(m => Math.abs(m.x - px) < l.w / 2 && Math.abs(m.y - py) < l.h / 2);
    }

    // A badge on the cell of the best configuration; the caption says if it lies on the edge of the grid.
    function pairBadge(chart, s, a, b, at, w, h) {
        const best = indexOf.get(D.choice.best);
        if (best === undefined || C.level[a][best] < 0 || C.level[b][best] < 0) return;
        const [x, y] = at(C.level[a][best], C.level[b][best]);
        dots(s.root, [[x + w - 9, y + 9]], 4.5, 3, 's1 fill halo');
        const edges = [a, b].map(n => edgeOf(n, C.level[n][best])).filter(t => t);
        chart.note = 'The diamond marks the best configuration (' + name(best) + '). ' +
            (edges.length ? 'It lies on the edge of the grid: ' + edges.join(', and ') + '. A better value may lie beyond. ' : 'It lies inside the grid. ');
    }

    function edgeOf(a, k) {
        const n = AXES[a].levels.length;
        if (!AXES[a].numeric || n < 2 || (k > 0 && k < n - 1)) return '';
        return AXES[a].name + ' ' + levelText(a, k) + ' is the ' + (k ? 'largest' : 'smallest') + ' value';
    }

    // ---- all axes ------------------------------------------------------------------------------------------

    function drawParallel(chart) {
        const inside = C.id.map((id, i) => i).filter(i => C.mean[i] !== null);
        if (!inside.some(i => shown[i])) return nothing(chart);
        const frame = el('div', { class: 'sideways' });
        chart.node.append(frame);
        const s = surface(chart, Math.max(chart.width, 76 * AXES.length + 112), 400, 'Parallel coordinates of all axes', frame);
        const box = boxOf(s, 50, 62, 62, 16);
        const x = d3.scalePoint().domain(d3.range(AXES.length + 1)).range([box.left, box.right]);
        const y = d3.scaleLinear().domain(rangeOf(inside.map(i => C.mean[i]), 0.02)).range(D.sweep.maximize ? [box.bottom, box.top] : [box.top, box.bottom]).clamp(true);
        const columns = AXES.map((axis, a) => parallelColumn(a, box, inside));
        const path = i => 'M' + columns.map((column, a) => x(a).toFixed(1) + ',' + column.at(i).toFixed(1)).join('L') + 'L' + x(AXES.length).toFixed(1) + ',' + y(C.mean[i]).toFixed(1);
        const away = inside.filter(i => !shown[i]);
        s.root.append('path').attr('class', 'away-line').attr('d', thin(away, 1500).map(path).join(''));
        const colour = colours(inside.map(i => C.mean[i]), true);
        parallelLines(s, inside.filter(i => shown[i]).reverse(), path, colour);
        inside.filter(isSelected).forEach(i => s.root.append('path').attr('class', 'picked').attr('d', path(i)));
        columns.forEach((column, a) => parallelAxis(chart, s, a, x(a), box, column));
        parallelScore(s, x(AXES.length), y, box);
        inside.filter(i => shown[i]).forEach(i => s.marks.push({ key: 'c' + C.id[i], config: i, x: x(AXES.length), y: y(C.mean[i]), tip: () => configTip(i) }));
        s.hit = (px, py) => nearestLine(s.marks, columns, { px, py, left: box.left, step: x.step() });
        return undefined;
    }

    // The mark of the line that passes within 6 pixels of a point.
    function nearestLine(marks, columns, at) {
        const column = Math.min(columns.length - 1, Math.max(0, Math.floor((at.px - at.left) / at.step)));
        const part = (at.px - at.left) / at.step - column;
        const height = mark => {
            const from = columns[column].at(mark.config);
            const to = column + 1 < columns.length ? columns[column + 1].at(mark.config) : mark.y;
            return Math.abs(from + (to - from) * part - at.py);
        };
        const nearest = marks.reduce((best, mark) => (height(mark) < best.height ? { mark, height: height(mark) } : best), { mark: null, height: 6 });
        return nearest.mark;
    }

    // Every k-th of a list, so that at most about n are left.
    function thin(list, n) {
        const step = Math.ceil(list.length / n);
        return step <= 1 ? list : list.filter((v, k) => k % step === 0);
    }

    // Places of an axis: equal steps, the largest value above. Lines of one value spread by score.
    function parallelColumn(a, box, inside) {
        const ks = AXES[a].levels.map((v, k) => k);
        if (inside.some(i => C.level[a][i] < 0)) ks.unshift(-1);
        const point = d3.scalePoint().domain(ks).range([box.bottom, box.top]).padding(0.5);
        const spread = Math.min(24, point.step() * 0.6);
        const at = i => point(C.level[a][i]) + (i / Math.max(1, N - 1) - 0.5) * spread;
        return { ks, point, spread, at };
    }

    function parallelLines(s, order, path, colour) {
        const groups = new Map();
        thin(order, 4000).forEach(i => {
            const c = colour(colour.worst + Math.round(12 * (C.mean[i] - colour.worst) / (colour.best - colour.worst || 1)) / 12 * (colour.best - colour.worst));
            groups.set(c, (groups.get(c) || '') + path(i));
        });
        const opacity = Math.max(0.15, Math.min(0.9, 60 / order.length));
        groups.forEach((d, c) => s.root.append('path').attr('d', d).attr('fill', 'none').attr('stroke', c)
            .attr('stroke-width', order.length > 500 ? 0.8 : 1.4).attr('stroke-opacity', opacity));
    }

    function parallelAxis(chart, s, a, x, box, column) {
        line(s.root, x, box.top, x, box.bottom, 'rule');
        AXES[a].name.split('_').slice(0, 3).forEach((word, n, words) =>
            text(s.root, x, box.top - 10 - 14 * (words.length - 1 - n), clip(word, 14), 'strong', 'middle'));
        const every = Math.ceil(14 / column.point.step());
        column.ks.forEach((k, n) => {
            if (n % every === 0) text(s.root, x - 7, column.point(k) + 4, clip(levelText(a, k), 12), 'halo small', 'end');
        });
        if (state.levels[a]) {
            column.ks.filter(k => state.levels[a].has(k)).forEach(k => s.root.append('rect').attr('class', 'brush')
                .attr('x', x - 6).attr('y', column.point(k) - column.spread / 2).attr('width', 12).attr('height', column.spread));
        }
        brush(s, a, x, box, column);
    }

    // Drag along an axis to keep the values passed over. A click keeps one value, or all again.
    function brush(s, a, x, box, column) {
        const area = s.root.append('rect').attr('class', 'brushable').attr('data-axis', AXES[a].name)
            .attr('x', x - 14).attr('y', box.top).attr('width', 28).attr('height', box.bottom - box.top).node();
        const place = event => event.clientY - area.getBoundingClientRect().top + box.top;
        let from = null;
        area.addEventListener('pointerdown', event => {
            from = place(event);
            area.setPointerCapture(event.pointerId);
            event.preventDefault();
        });
        area.addEventListener('pointermove', event => {
            if (from === null) return;
            s.root.selectAll('.drag').remove();
            s.root.append('rect').attr('class', 'brush drag').attr('x', x - 8).attr('width', 16)
                .attr('y', Math.min(from, place(event))).attr('height', Math.abs(place(event) - from));
        });
        area.addEventListener('pointerup', event => {
            if (from === null) return;
            keepLevels(a, column, Math.min(from, place(event)), Math.max(from, place(event)));
            from = null;
        });
        area.addEventListener('click', event => event.stopPropagation());
    }

    function keepLevels(a, column, low, high) {
        const click = high - low < 4;
        const reach = click ? column.point.step() / 2 : 0;
        const kept = column.ks.filter(k => column.point(k) >= low - reach && column.point(k) <= high + reach);
        const again = click && state.levels[a] && kept.every(k => state.levels[a].has(k));
        state.levels[a] = again || !kept.length || kept.length === column.ks.length ? null : new Set(kept);
        changed();
    }

    function parallelScore(s, x, y, box) {
        line(s.root, x, box.top, x, box.bottom, 'rule');
        text(s.root, x, box.top - 10, clip(D.sweep.metric, 14), 'strong', 'middle');
        y.ticks(6).forEach(t => {
            line(s.root, x, y(t), x + 5, y(t), 'rule');
            text(s.root, x + 8, y(t) + 4, tickOf(y, 6)(t), 'quiet small');
        });
    }

    // ---- learning curves -----------------------------------------------------------------------------------

    function curveConfigs() {
        return [...new Set(D.curves.map(curve => curve.config))];
    }

    function curveChoices() {
        return [['auto', 'the selected one, else the choice']].concat(curveConfigs().map(id => [String(id), name(indexOf.get(id)) + ', place ' + C.place[indexOf.get(id)]]));
    }

    function drawCurves(chart, view) {
        const ids = curveConfigs();
        const wanted = view.config === 'auto' ? state.selected.slice().reverse().concat(D.choice.chosen) : [Number(view.config)];
        const id = wanted.find(one => ids.includes(one)) || ids[0];
        const curves = D.curves.filter(curve => curve.config === id);
        const lines = view.measure === 'loss'
            ? [{ key: 'train_loss', text: 'training', series: 's1' }, { key: 'val_loss', text: 'validation', series: 's0' }]
            : [{ key: 'val_value', text: 'validation', series: 's0' }];
        lines.forEach(each => { each.curves = curves.map(curve => pointsOf(curve, each.key)).filter(points => points.length); });
        const used = lines.filter(each => each.curves.length);
        if (!used.length) return nothing(chart, 'The curves of this configuration have no such values.');
        curveChart(chart, view, used, curves, id);
        return undefined;
    }

    function pointsOf(curve, key) {
        return curve.epoch.map((epoch, n) => [epoch, curve[key][n]]).filter(p => p[1] !== null);
    }

    function curveChart(chart, view, lines, curves, id) {
        const s = surface(chart, chart.width, 360, 'Learning curves of c' + id);
        const box = boxOf(s, 54, 46, 84, 44);
        const values = [].concat(...lines.map(each => [].concat(...each.curves))).map(p => p[1]);
        const [least, most] = d3.extent(values);
        const log = view.measure === 'loss' && least > 0 && (view.log === 'yes' || (view.log === 'auto' && most > 10 * least));
        const x = d3.scaleLinear().domain(epochRange(curves)).range([box.left, box.right]);
        const range = log ? [least / 1.1, most * 1.1] : rangeOf(values);
        const y = (log ? d3.scaleLog() : d3.scaleLinear()).domain(range).range([box.bottom, box.top]).clamp(true);
        axisX(s.root, box, x, 'epoch', true);
        axisY(s.root, box, y, view.measure === 'loss' ? 'loss' + (log ? ' (log scale)' : '') : scoreLabel());
        text(s.root, s.width, 14, fit('c' + id + '  ' + settings(indexOf.get(id)), s.width * 0.9), 'strong', 'end');
        const ends = lines.map(each => curveMean(s, each, x, y, curves.length > 1));
        bestEpochs(s, curves, lines[lines.length - 1].key, x, y);
        const labels = ends.length === 2 ? apart(ends[0][1], ends[1][1], 15) : [ends[0][1]];
        lines.forEach((each, n) => {
            dots(s.root, [[box.right + 12, labels[n]]], 4, 0, each.series + ' fill');
            text(s.root, box.right + 20, labels[n] + 4, each.text);
        });
        const beyond = log ? 0 : values.filter(v => v < range[0] || v > range[1]).length;
        chart.note = (curves.length > 1 ? 'Thin lines are folds; the thick line is their mean, the band their range. ' : '') +
            'Circles mark the best epoch of each fold. ' + (beyond ? plural(beyond, 'value') + ' beyond the axis lie on its edge. ' : '');
    }

    function epochRange(curves) {
        const [first, last] = d3.extent([].concat(...curves.map(curve => curve.epoch)));
        return [first < last && first > last / 10 ? first : Math.min(first, 0), Math.max(last, first + 1)];
    }

    // Thin lines of folds, and mean and range of the folds that have not stopped while they are at least half.
    // Returns the end of the mean.
    function curveMean(s, each, x, y, many) {
        const path = d3.line().x(p => x(p[0])).y(p => y(p[1]));
        each.curves.forEach(points => s.root.append('path').attr('class', each.series + ' stroke thin').attr('d', path(points)));
        const epochs = [...new Set([].concat(...each.curves.map(points => points.map(p => p[0]))))].sort(d3.ascending);
        const mean = epochs.map(epoch => {
            const values = each.curves.map(points => valueAt(points, epoch)).filter(v => v !== null);
            return { epoch, n: values.length, m: d3.mean(values), low: d3.min(values), high: d3.max(values) };
        }).filter(row => row.n >= Math.max(1, each.curves.length / 2));
        const area = d3.area().x(r => x(r.epoch)).y0(r => y(r.low)).y1(r => y(r.high));
        if (many) s.root.append('path').attr('class', each.series + ' band').attr('d', area(mean));
        s.root.append('path').attr('class', each.series + ' stroke').attr('d', d3.line().x(r => x(r.epoch)).y(r => y(r.m))(mean));
        const last = mean[mean.length - 1];
        return [x(last.epoch), y(last.m)];
    }

    // The value of a curve at an epoch, between stored epochs by a straight line.
    function valueAt(points, epoch) {
        const n = d3.bisector(p => p[0]).left(points, epoch);
        if (n >= points.length) return null;
        if (points[n][0] === epoch || n === 0) return points[n][0] === epoch ? points[n][1] : null;
        const [p, q] = [points[n - 1], points[n]];
        return p[1] + (q[1] - p[1]) * (epoch - p[0]) / (q[0] - p[0]);
    }

    function bestEpochs(s, curves, key, x, y) {
        curves.forEach(curve => {
            const value = curve.best === null ? null : valueAt(pointsOf(curve, key), curve.best);
            if (value === null) return;
            dots(s.root, [[x(curve.best), y(value)]], 4, 0, 's0 hollow');
            s.marks.push({
                key: 't' + curve.trial, config: null, x: x(curve.best), y: y(value),
                tip: () => ['trial ' + curve.trial, (D.sweep.replicates > 1 ? 'replicate ' + curve.replicate + ', ' : '') + 'fold ' + curve.fold, 'best epoch ' + curve.best, score(value)]
            });
        });
    }

    // ---- cost ----------------------------------------------------------------------------------------------

    function drawCost(chart, view) {
        const cost = C[view.cost];
        const inside = C.id.map((id, i) => i).filter(i => shown[i] && C.mean[i] !== null && cost[i] > 0);
        if (!inside.length) return nothing(chart, 'No configuration has a cost of this kind.');
        const s = surface(chart, chart.width, 380, 'Score against cost');
        const box = boxOf(s, 54, 58, 24, 44);
        const extent = d3.extent(inside, i => cost[i]);
        const wider = extent[0] === extent[1] ? 2 : Math.pow(extent[1] / extent[0], 0.03);
        const x = d3.scaleLog().domain([extent[0] / wider, extent[1] * wider]).range([box.left, box.right]);
        const y = d3.scaleLinear().domain(rangeOf(inside.map(i => C.mean[i]))).range([box.bottom, box.top]).clamp(true);
        axisX(s.root, box, x, view.cost === 'seconds' ? 'seconds of a trial, mean (log scale)' : 'floating-point operations of a trial (log scale)');
        axisY(s.root, box, y, scoreLabel());
        const at = i => [x(cost[i]), y(C.mean[i])];
        D.types.forEach((type, t) => dots(s.root, inside.filter(i => C.type[i] === t).map(at), inside.length > 2000 ? 1.8 : 3, t, 's' + t % 5 + (inside.length > 500 ? ' fill faint' : ' fill')));
        inside.forEach(i => s.marks.push({ key: 'c' + C.id[i], config: i, x: at(i)[0], y: at(i)[1], tip: () => configTip(i).concat(view.cost === 'seconds' ? seconds(cost[i]) : short(cost[i], 3) + ' flop') }));
        costFront(s, D.pareto[view.cost].map(id => indexOf.get(id)).filter(i => inside.includes(i)), at, box);
        inside.filter(isSelected).forEach(i => dots(s.root, [at(i)], 6, 0, 'picked'));
        costChoices(s, inside, at, box);
        costKeys(s, box);
        return undefined;
    }

    function costFront(s, front, at, box) {
        if (!front.length) return;
        const points = front.map(at).concat([[box.right, at(front[front.length - 1])[1]]]);
        s.root.append('path').attr('class', 'rule').attr('d', d3.line().curve(d3.curveStepAfter)(points));
        dots(s.root, front.map(at), 4, 0, 's4 hollow');
    }

    // The best and the 1se choice with their names, on whichever side there is room.
    function costChoices(s, inside, at, box) {
        const names = new Map();
        [['best', D.choice.best], ['1se', D.choice['1se']]].forEach(([rule, id]) => {
            const i = indexOf.get(id);
            if (i !== undefined && inside.includes(i)) names.set(i, (names.has(i) ? names.get(i) + ' and ' : '') + rule);
        });
        names.forEach((rule, i) => {
            const [x, y] = at(i);
            const label = rule + ' (' + name(i) + ')';
            dots(s.root, [[x, y]], 6, 3, 's1 fill halo');
            const left = x + 12 + textWidth(label) > box.right;
            text(s.root, left ? x - 11 : x + 11, rule === '1se' ? y + 17 : y - 6, label, 'strong halo', left ? 'end' : null);
        });
    }

    function costKeys(s, box) {
        const entries = D.types.length < 2 ? [] : D.types.map((type, t) => ({ text: type, draw: (p, x, y) => dots(p, [[x, y]], 4, t, 's' + t % 5 + ' fill') }));
        entries.push({ text: 'Pareto front', draw: (p, x, y) => dots(p, [[x, y]], 4, 0, 's4 hollow') });
        keys(s.root, 4, 16, entries, box.right);
    }

    // ---- model types ---------------------------------------------------------------------------------------

    function drawTypes(chart) {
        const best = D.types.map((type, t) => C.id.findIndex((id, i) => shown[i] && C.type[i] === t && C.mean[i] !== null));
        const used = D.types.map((type, t) => t).filter(t => best[t] >= 0);
        if (!used.length) return nothing(chart);
        used.sort((p, q) => best[p] - best[q]);
        const s = surface(chart, chart.width, 360, 'Best configuration of each model type by fold');
        const box = boxOf(s, 54, 40, 20, 60);
        const slots = D.slots.map((slot, n) => n);
        const y = d3.scaleLinear().domain(rangeOf([].concat(...used.map(t => D.value.map(row => row[best[t]]))), 0.08)).range([box.bottom, box.top]).clamp(true);
        const x = d3.scalePoint().domain(used).range([box.left, Math.min(box.right, box.left + 240 * used.length)]).padding(0.5);
        axisY(s.root, box, y, scoreLabel());
        slots.forEach(slot => {
            const points = used.filter(t => D.value[slot][best[t]] !== null).map(t => [x(t), y(D.value[slot][best[t]])]);
            s.root.append('path').attr('class', 'away-line').attr('d', d3.line()(points));
        });
        used.forEach(t => typeColumn(s, t, best[t], slots, x(t), y, box, x.step()));
        return undefined;
    }

    function typeColumn(s, t, i, slots, x, y, box, room) {
        const there = slots.filter(slot => D.value[slot][i] !== null);
        dots(s.root, there.map(slot => [x, y(D.value[slot][i])]), 4, t, 's' + t % 5 + ' fill');
        line(s.root, x - 26, y(C.mean[i]), x + 26, y(C.mean[i]), 's' + t % 5 + ' stroke');
        text(s.root, x + 30, y(C.mean[i]) + 4, score(C.mean[i]), 'strong halo');
        text(s.root, x, box.bottom + 18, fit(D.types[t] + ', ' + name(i), room), 'strong', 'middle');
        if (room > 120) text(s.root, x, box.bottom + 34, 'mean ' + plusMinus(C.mean[i], C.se[i]), 'quiet small', 'middle');
        if (isSelected(i)) dots(s.root, there.map(slot => [x, y(D.value[slot][i])]), 6, 0, 'picked');
        there.forEach(slot => s.marks.push({ key: t + '.' + slot, config: i, x, y: y(D.value[slot][i]), tip: () => [D.types[t] + ', ' + slotName(slot), D.sweep.metric + ' ' + score(D.value[slot][i])].concat(configTip(i)) }));
    }

    // ---- predicted against observed ------------------------------------------------------------------------

    function groupChoices() {
        return [['all', 'all']].concat(D.predictions.group.map((text, g) => [String(g), text]));
    }

    function drawPredicted(chart, view) {
        const P = D.predictions;
        const rows = P.observed.map((v, n) => n).filter(n => P.observed[n] !== null && P.predicted[n] !== null);
        if (!rows.length) return nothing(chart, 'No predictions are stored.');
        const inside = rows.filter(n => view.group === 'all' || P.g[n] === Number(view.group));
        if (!inside.length) return nothing(chart, 'This group has no samples.');
        if (!P.classes.length) return drawScatter(chart, view, rows, inside);
        const parts = el('div', { class: 'parts' });
        chart.node.append(parts);
        const width = chart.width >= 900 ? (chart.width - 48) / 3 : chart.width >= 600 ? (chart.width - 24) / 2 : chart.width;
        drawConfusion(chart, inside, P.p ? width : Math.min(520, chart.width), parts);
        if (P.p) drawRoc(chart, inside, width, parts);
        if (P.p) drawCalibration(chart, inside, width, parts);
        return undefined;
    }

    // The eight largest groups have marks of their own; the others share one.
    function largestGroups(rows) {
        const counts = new Map();
        rows.forEach(n => counts.set(D.predictions.g[n], (counts.get(D.predictions.g[n]) || 0) + 1));
        return [...counts.keys()].filter(g => g >= 0).sort((a, b) => counts.get(b) - counts.get(a)).slice(0, 5);
    }

    function pearson(rows) {
        const P = D.predictions;
        const mx = d3.mean(rows, n => P.observed[n]);
        const my = d3.mean(rows, n => P.predicted[n]);
        const sum = f => d3.sum(rows, n => f(P.observed[n] - mx, P.predicted[n] - my));
        const r = sum((u, v) => u * v) / Math.sqrt(sum(u => u * u) * sum((u, v) => v * v));
        return isFinite(r) && rows.length > 2 ? r : null;
    }

    function drawScatter(chart, view, rows, inside) {
        const P = D.predictions;
        const wide = chart.width >= 720;
        const size = Math.min(chart.width, wide ? 540 : 620);
        const s = surface(chart, wide ? chart.width : size, Math.min(520, size), 'Predicted against observed values');
        const box = { left: 54, top: 40, right: size - 16, bottom: s.height - 44 };
        const both = d3.extent(rows.map(n => P.observed[n]).concat(rows.map(n => P.predicted[n])));
        const pad = (both[1] - both[0]) * 0.04 || 1;
        const x = d3.scaleLinear().domain([both[0] - pad, both[1] + pad]).range([box.left, box.right]);
        const y = d3.scaleLinear().domain(x.domain()).range([box.bottom, box.top]);
        axisX(s.root, box, x, 'observed');
        axisY(s.root, box, y, 'predicted');
        line(s.root, x(x.domain()[0]), y(x.domain()[0]), x(x.domain()[1]), y(x.domain()[1]), 'identity');
        const at = n => [x(P.observed[n]), y(P.predicted[n])];
        const groups = largestGroups(rows);
        if (inside.length < rows.length) dots(s.root, rows.filter(n => !inside.includes(n)).map(at), 2.5, 0, 's-quiet fill away');
        const other = inside.filter(n => !groups.includes(P.g[n]));
        dots(s.root, other.map(at), 3, 0, (groups.length ? 's-quiet' : 's0') + ' fill faint');
        groups.forEach((g, k) => dots(s.root, inside.filter(n => P.g[n] === g).map(at), 3, k, 's' + k + ' fill faint'));
        inside.forEach(n => s.marks.push({ key: 's' + n, config: null, x: at(n)[0], y: at(n)[1], tip: () => sampleTip(n) }));
        scatterText(s, inside, groups, wide ? { x: size + 24, y: 56 } : { x: box.left + 10, y: box.top + 10 }, wide);
        return undefined;
    }

    function sampleTip(n) {
        const P = D.predictions;
        return [String(P.id[n]), 'observed ' + short(P.observed[n]), 'predicted ' + short(P.predicted[n])]
            .concat(P.g[n] >= 0 ? P.group[P.g[n]] : [], 'fold ' + P.fold[n]);
    }

    function scatterText(s, rows, groups, at, wide) {
        const P = D.predictions;
        const rmse = Math.sqrt(d3.mean(rows, n => Math.pow(P.observed[n] - P.predicted[n], 2)));
        const r = pearson(rows);
        const head = ['r = ' + (r === null ? 'none' : score(r)), 'RMSE = ' + short(rmse, 3), plural(rows.length, 'prediction')];
        head.forEach((t, k) => text(s.root, at.x, at.y + 17 * k, t, k ? 'halo' : 'strong halo'));
        if (!wide || !groups.length) return;
        text(s.root, at.x, at.y + 78, 'group: r (samples)', 'quiet');
        groups.forEach((g, k) => {
            const inside = rows.filter(n => P.g[n] === g);
            const inner = pearson(inside);
            dots(s.root, [[at.x + 5, at.y + 98 + 20 * k]], 4, k, 's' + k + ' fill');
            const end = ': ' + (inner === null ? 'none' : score(inner)) + ' (' + inside.length + ')';
            text(s.root, at.x + 16, at.y + 102 + 20 * k, fit(P.group[g], s.width - at.x - 20 - textWidth(end)) + end);
        });
    }

    function drawConfusion(chart, rows, width, parts) {
        const P = D.predictions;
        const k = P.classes.length;
        const counts = P.classes.map(() => P.classes.map(() => 0));
        rows.forEach(n => counts[P.observed[n]][P.predicted[n]]++);
        const left = Math.min(width * 0.3, Math.max(60, ...P.classes.map(c => textWidth(clip(c, 14))) ) + 12);
        const w = Math.min(90, (width - left - 4) / k);
        const s = surface(chart, width, 66 + w * k + 40, 'Confusion matrix', parts);
        text(s.root, 0, 14, 'Confusion matrix', 'strong');
        text(s.root, 0, 32, 'share of the observed class', 'quiet small');
        text(s.root, 0, 56, '\u2193 observed', 'quiet');
        text(s.root, left + w * k, 66 + w * k + 34, 'predicted \u2192', 'quiet', 'end');
        const colour = v => d3.interpolateViridis(v);
        counts.forEach((row, o) => {
            const sum = d3.sum(row);
            text(s.root, left - 8, 66 + (o + 0.5) * w + 4, clip(P.classes[o], 14), null, 'end');
            if (w > 24 || o % 3 === 0) text(s.root, left + (o + 0.5) * w, 66 + w * k + 16, fit(P.classes[o], Math.max(20, w - 4)), null, 'middle');
            row.forEach((n, p) => confusionCell(s, { n, share: sum ? n / sum : 0, o, p, sum }, left + p * w, 66 + o * w, w, colour));
        });
        s.hit = (x, y) => s.marks.find(m => Math.abs(m.x - x) < w / 2 && Math.abs(m.y - y) < w / 2);
    }

    function confusionCell(s, cell, x, y, w, colour) {
        const fill = colour(cell.share);
        s.root.append('rect').attr('class', 'cell').attr('x', x).attr('y', y).attr('width', w).attr('height', w).attr('fill', fill);
        const ink = inkOn(fill);
        if (w > 26) text(s.root, x + w / 2, y + w / 2 + (w > 46 ? -2 : 4), cell.n, ink, 'middle');
        if (w > 46) text(s.root, x + w / 2, y + w / 2 + 14, percent(cell.share), ink + ' small', 'middle');
        const P = D.predictions;
        s.marks.push({ key: cell.o + '.' + cell.p, config: null, x: x + w / 2, y: y + w / 2, w, h: w, tip: () => ['observed ' + P.classes[cell.o] + ', predicted ' + P.classes[cell.p], cell.n + ' of ' + cell.sum + ' (' + percent(cell.share) + ')'] });
    }

    // The ROC curve of one class against the others and the area below it; equal scores are one step.
    function rocOf(rows, k) {
        const P = D.predictions;
        const sorted = rows.slice().sort((a, b) => P.p[b][k] - P.p[a][k]);
        const positives = rows.filter(n => P.observed[n] === k).length;
        const negatives = rows.length - positives;
        if (!positives || !negatives) return null;
        const points = [[0, 0]];
        let [tp, fp, area] = [0, 0, 0];
        sorted.forEach((n, at) => {
            if (P.observed[n] === k) tp++;
            else fp++;
            if (at + 1 < sorted.length && P.p[sorted[at + 1]][k] === P.p[n][k]) return;
            const [x, y] = points[points.length - 1];
            points.push([fp / negatives, tp / positives]);
            area += (fp / negatives - x) * (tp / positives + y) / 2;
        });
        return { points, area };
    }

    function squareFrame(chart, width, parts, title, xLabel, yLabel) {
        const s = surface(chart, width, Math.min(width + 30, 420), title, parts);
        const side = Math.min(s.width - 60, s.height - 110);
        const box = { left: 44, top: 66, right: 44 + side, bottom: 66 + side };
        const x = d3.scaleLinear().range([box.left, box.right]);
        const y = d3.scaleLinear().range([box.bottom, box.top]);
        text(s.root, 0, 14, title, 'strong');
        axisX(s.root, box, x, xLabel);
        axisY(s.root, box, y, yLabel);
        line(s.root, x(0), y(0), x(1), y(1), 'identity');
        return { s, box, x, y };
    }

    function drawRoc(chart, rows, width, parts) {
        const P = D.predictions;
        const { s, box, x, y } = squareFrame(chart, width, parts, 'ROC', 'false positive rate', 'true positive rate');
        const classes = P.classes.length === 2 ? [1] : P.classes.map((c, k) => k).slice(0, 5);
        const curves = classes.map((k, n) => ({ k, n, roc: rocOf(rows, k) })).filter(each => each.roc);
        curves.forEach(({ n, roc }) => s.root.append('path').attr('class', 's' + n + ' stroke').attr('d', d3.line().x(p => x(p[0])).y(p => y(p[1]))(roc.points)));
        curves.forEach(({ k, n, roc }, row) => {
            const ty = box.bottom - 12 - 17 * (curves.length - 1 - row);
            const label = clip(P.classes[k], 14) + ', area ' + score(roc.area);
            line(s.root, box.right - textWidth(label) - 30, ty - 4, box.right - textWidth(label) - 14, ty - 4, 's' + n + ' stroke');
            text(s.root, box.right - 8, ty, label, 'halo', 'end');
            s.marks.push({ key: 'roc' + k, config: null, x: box.right - textWidth(label) - 22, y: ty - 4, tip: () => [label, P.classes.length > 2 ? 'against all other classes' : 'against ' + P.classes[0], 'predictions of all folds together'] });
        });
        if (P.classes.length > 5) chart.note = 'ROC curves of the first 5 of ' + P.classes.length + ' classes. ';
    }

    // Observed frequency in ten bins of the predicted probability: of the second of two classes, else of the
    // predicted class.
    function drawCalibration(chart, rows, width, parts) {
        const P = D.predictions;
        const two = P.classes.length === 2;
        const { s, x, y } = squareFrame(chart, width, parts, 'Calibration', two ? 'predicted probability of ' + clip(P.classes[1], 8) : 'probability of the predicted class', 'observed frequency');
        const bins = d3.range(10).map(() => ({ n: 0, p: 0, hits: 0 }));
        rows.forEach(n => {
            const p = two ? P.p[n][1] : P.p[n][P.predicted[n]];
            const bin = bins[Math.min(9, Math.max(0, Math.floor(10 * p)))];
            bin.n++;
            bin.p += p;
            bin.hits += two ? P.observed[n] === 1 : P.observed[n] === P.predicted[n];
        });
        const used = bins.filter(bin => bin.n);
        const at = bin => [x(bin.p / bin.n), y(bin.hits / bin.n)];
        s.root.append('path').attr('class', 's0 stroke thin').attr('d', d3.line()(used.map(at)));
        const most = d3.max(used, bin => bin.n);
        used.forEach((bin, k) => {
            dots(s.root, [at(bin)], 2.5 + 5 * Math.sqrt(bin.n / most), 0, 's0 fill faint');
            s.marks.push({ key: 'bin' + k, config: null, x: at(bin)[0], y: at(bin)[1], tip: () => [plural(bin.n, 'prediction'), 'mean probability ' + score(bin.p / bin.n), 'observed ' + percent(bin.hits / bin.n)] });
        });
    }

    // ---- test part -----------------------------------------------------------------------------------------

    // The objective's metric on the validation parts and on the test part, on one scale. Others are in the table.
    function drawTest(chart) {
        const test = D.test.find(row => row.metric === D.sweep.metric) || D.test[0];
        const i = indexOf.get(D.choice.chosen);
        const rows = [{ label: 'test', mean: test.mean, sd: test.sd, n: test.n, series: 's1', shape: 3 }];
        if (i !== undefined && test.metric === D.sweep.metric && C.mean[i] !== null) rows.unshift({ label: 'validation', mean: C.mean[i], sd: C.sd[i], n: C.n[i], series: 's0', shape: 0 });
        const s = surface(chart, Math.min(640, chart.width), 34 + 40 * rows.length + 34, 'Validation and test score of the chosen configuration');
        const box = boxOf(s, 84, 4, 60, 44);
        const x = d3.scaleLinear().domain(rangeOf([].concat(...rows.map(r => [r.mean - (r.sd || 0), r.mean + (r.sd || 0)])), 0.2)).range([box.left, box.right]);
        axisX(s.root, box, x, test.metric);
        rows.forEach((r, n) => {
            const y = box.top + 30 + 40 * n;
            text(s.root, box.left - 10, y + 4, r.label, null, 'end');
            if (r.sd) line(s.root, x(r.mean - r.sd), y, x(r.mean + r.sd), y, r.series + ' stroke');
            dots(s.root, [[x(r.mean), y]], 5, r.shape, r.series + ' fill');
            text(s.root, x(r.mean), y - 11, score(r.mean), 'strong halo', 'middle');
            s.marks.push({ key: r.label, config: null, x: x(r.mean), y, tip: () => [r.label, test.metric + ' ' + score(r.mean), r.sd === null ? '' : 'standard deviation ' + score(r.sd), plural(r.n, 'trial')] });
        });
        chart.note = 'Lines span one standard deviation over trials. ';
    }

    // ---- run -----------------------------------------------------------------------------------------------

    // How outcomes look. Problems have a shape of their own.
    const OUTCOMES = {
        done: { classes: 's-done fill' },
        diverged: { classes: 's3 fill', shape: 2 },
        failed: { classes: 's1 fill', shape: 1 },
        stopped: { classes: 's-quiet fill faint' },
        crashed: { classes: 's4 fill', shape: 4 },
        lost: { classes: 's4 fill', shape: 3 },
        running: { classes: 's2 fill' }
    };

    function sessionChoices() {
        return [['all', 'all sessions']].concat(D.run.sessions.map(one => [String(one.session), 'session ' + one.session]));
    }

    function drawRun(chart, view) {
        const A = D.run.attempts;
        const inside = A.trial.map((t, n) => n).filter(n => view.session === 'all' || D.run.ranks[A.rank[n]].session === Number(view.session));
        if (!inside.length) return nothing(chart, 'No attempts are stored.');
        const ranks = rankRows(inside);
        const left = Math.min(chart.width * 0.3, Math.max(...ranks.names.map(textWidth)) + 12);
        const h = Math.max(1, Math.min(22, 420 / ranks.names.length));
        const s = surface(chart, chart.width, 70 + ranks.names.length * h + 46, 'Timeline of ranks');
        const box = boxOf(s, left, 70, 12, 46);
        const spans = sessionSpans(inside, box);
        s.root.append('g').call(g => timeAxis(g, spans, box));
        ranks.names.forEach((t, r) => {
            if (h >= 12 || r % Math.ceil(13 / h) === 0) text(s.root, left - 8, box.top + (r + 0.5) * h + 4, fit(t, left - 10), 'quiet small', 'end');
        });
        timeBars(s, inside, ranks, spans, box, h);
        const seen = D.run.outcomes.map((o, k) => ({ o, k, n: inside.filter(n => A.outcome[n] === k).length })).filter(each => each.n);
        keys(s.root, 4, 16, seen.map(({ o, n }) => ({ text: n.toLocaleString('en') + ' ' + o, draw: (p, x, y) => dots(p, [[x, y]], 4, OUTCOMES[o].shape || 1, OUTCOMES[o].classes) })), s.width);
        chart.note = D.run.attempts_left_out ? D.run.attempts_left_out.toLocaleString('en') + ' short attempts are left out. ' : '';
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
            const span = spans.get(id) || { id, from: info ? info.started - D.run.t0 : A.start[n], to: info && info.finished !== null ? info.finished - D.run.t0 : -Infinity, info };
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
        const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800];
        const step = steps.find(t => t * spans.unit >= 70) || 2419200;
        const unit = step < 30 ? { size: 1, name: '\u00a0s' } : step < 1800 ? { size: 60, name: '\u00a0min' } : { size: 3600, name: '\u00a0h' };
        spans.list.forEach(span => {
            g.append('rect').attr('class', 'nothing').attr('x', span.left).attr('y', box.top).attr('width', Math.max(1, span.right - span.left)).attr('height', box.bottom - box.top);
            d3.range(0, span.to - span.from, step).forEach(t => {
                const x = span.x(span.from + t);
                line(g, x, box.top, x, box.bottom, 'gridline');
                if ((t === 0 && span.right - span.left < 30) || x > box.right - 12 || (t > 0 && x > span.right - 20 && span !== spans.list[spans.list.length - 1])) return;
                text(g, x, box.bottom + 16, t === 0 ? '0' : short(t / unit.size, 3) + unit.name, 'quiet small', t === 0 ? null : 'middle');
            });
            if (span.right - span.left > 70) text(g, span.left, box.top - 8, fit('session ' + span.id + (span.info && span.info.busy !== null ? ', ' + percent(span.info.busy) + ' busy' : ''), span.right - span.left), 'quiet small');
        });
        text(g, box.right, box.bottom + 36, 'time since the start of the session \u2192', 'quiet', 'end');
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
            paths[A.outcome[n]].push('M' + x0.toFixed(1) + ',' + (y + h * 0.12).toFixed(1) + 'H' + x1.toFixed(1) + 'v' + (h * 0.76).toFixed(1) + 'H' + x0.toFixed(1) + 'z');
            if (OUTCOMES[outcome].shape) problems.push({ outcome, x: x1, y: y + h / 2 });
            rows[ranks.of(n)].push({ key: 'a' + n, config: indexOf.get(A.config[n]), x: (x0 + x1) / 2, y: y + h / 2, w: x1 - x0, h, x0, x1, tip: () => attemptTip(n, outcome) });
        });
        paths.forEach((d, k) => {
            if (d.length) s.root.append('path').attr('class', OUTCOMES[D.run.outcomes[k]].classes).attr('d', d.join(''));
        });
        if (h >= 5) problems.forEach(p => dots(s.root, [[p.x, p.y]], Math.min(4, h / 2), OUTCOMES[p.outcome].shape, OUTCOMES[p.outcome].classes + ' halo'));
        rows.forEach(row => row.sort((p, q) => p.x0 - q.x0));
        s.marks = [].concat(...rows);
        s.hit = (x, y) => {
            const row = rows[Math.floor((y - box.top) / h)] || [];
            const at = d3.bisector(m => m.x0).right(row, x + 1) - 1;
            return at >= 0 && x <= row[at].x1 + 2 ? row[at] : null;
        };
        s.marks.filter(m => m.config !== undefined && isSelected(m.config)).forEach(m =>
            s.root.append('rect').attr('class', 'picked').attr('x', m.x0).attr('y', m.y - h / 2 + 1).attr('width', Math.max(2, m.w)).attr('height', Math.max(2, h - 2)));
    }

    function attemptTip(n, outcome) {
        const A = D.run.attempts;
        return ['trial ' + A.trial[n] + ', c' + A.config[n], outcome + (A.end[n] === null ? '' : ' after ' + seconds(A.end[n] - A.start[n])), 'rank ' + D.run.ranks[A.rank[n]].rank + ' on ' + D.run.ranks[A.rank[n]].host];
    }

    // ---- data and graph ------------------------------------------------------------------------------------

    // Topics that are drawn; the tables have all. The name of a bin is its lower edge.
    const FACTS = [
        { topic: 'part', title: 'samples in each part', rows: partRows },
        { topic: 'class', title: 'samples of each class' },
        { topic: 'target_bin', title: 'samples by observed value', bins: true },
        { topic: 'degree', title: 'nodes by number of neighbours' },
        { topic: 'group', title: 'samples in each group' },
        { topic: 'marker', title: 'markers read, kept and dropped', rows: rows => rows.filter(row => row[1] > 0) },
        { topic: 'duplicate', title: 'samples that are alike' }
    ];

    // The smallest and largest size of a part over folds are one row: [name, largest, text].
    function partRows(rows) {
        const size = new Map(rows);
        return rows.filter(row => row[0].endsWith('_max')).map(([key, most]) => {
            const least = size.get(key.replace('_max', '_min'));
            const range = least === most ? '' : least.toLocaleString('en') + ' to ';
            return [key.replace('_max', ''), most, range + most.toLocaleString('en')];
        });
    }

    function drawData(chart) {
        const parts = el('div', { class: 'parts small' });
        chart.node.append(parts);
        const width = chart.width >= 620 ? (chart.width - 24) / 2 : chart.width;
        FACTS.forEach(kind => {
            const fact = D.data.facts.find(one => one.topic === kind.topic);
            const all = fact ? fact.rows.filter(row => typeof row[1] === 'number') : [];
            const rows = kind.rows ? kind.rows(all) : all;
            const numbers = rows.length > 8 && rows.every(row => row[0] !== '' && isFinite(row[0]));
            if (rows.length) (numbers ? drawHistogram : drawBars)(chart, kind, rows, width, parts);
        });
        return parts.hasChildNodes() ? undefined : nothing(chart, 'The table lists what is known of the data.');
    }

    function drawBars(chart, kind, all, width, parts) {
        const rows = all.slice(0, 20);
        const s = surface(chart, width, 34 + 20 * all.slice(0, 21).length, kind.title, parts);
        const left = Math.min(width * 0.45, Math.max(...rows.map(row => textWidth(String(row[0])))) + 12);
        const label = row => row[2] || row[1].toLocaleString('en');
        const room = Math.max(...rows.map(row => textWidth(label(row)))) + 10;
        const x = d3.scaleLinear().domain([0, d3.max(rows, row => row[1]) || 1]).range([0, width - left - room]);
        text(s.root, 0, 16, kind.title, 'strong');
        rows.forEach((row, n) => {
            const y = 26 + 20 * n;
            text(s.root, left - 8, y + 14, fit(String(row[0]), left - 8), null, 'end');
            s.root.append('rect').attr('class', 's0 fill').attr('x', left).attr('y', y + 3).attr('width', Math.max(1, x(Math.max(0, row[1])))).attr('height', 14);
            text(s.root, left + x(Math.max(0, row[1])) + 5, y + 14, label(row), 'quiet');
            s.marks.push({ key: kind.topic + n, config: null, x: left, y: y + 10, w: 4, h: 14, tip: () => [kind.title, row[0] + ': ' + label(row)] });
        });
        if (all.length > rows.length) text(s.root, left, 40 + 20 * rows.length, 'and ' + (all.length - rows.length).toLocaleString('en') + ' more', 'quiet');
        s.hit = (px, py) => s.marks[Math.floor((py - 26) / 20)];
    }

    function drawHistogram(chart, kind, all, width, parts) {
        const rows = all.map(row => [Number(row[0]), row[1]]).sort((a, b) => a[0] - b[0]);
        const s = surface(chart, width, 200, kind.title, parts);
        const box = boxOf(s, 44, 40, 10, 24);
        const step = d3.min(d3.pairs(rows, (a, b) => b[0] - a[0])) || 1;
        const from = kind.bins ? 0 : -step / 2;
        const x = d3.scaleLinear().domain([rows[0][0] + from, rows[rows.length - 1][0] + from + step]).range([box.left, box.right]);
        const y = d3.scaleLinear().domain([0, d3.max(rows, row => row[1]) || 1]).range([box.bottom, box.top]);
        text(s.root, 0, 16, kind.title, 'strong');
        axisY(s.root, box, y);
        const w = Math.max(1, x(step) - x(0) - 1);
        rows.forEach((row, n) => {
            const at = x(row[0] + from + step / 2);
            s.root.append('rect').attr('class', 's0 fill').attr('x', at - w / 2).attr('y', y(row[1])).attr('width', w).attr('height', Math.max(0, box.bottom - y(row[1])));
            const range = kind.bins ? short(row[0]) + ' to ' + short(row[0] + step) : String(row[0]);
            s.marks.push({ key: kind.topic + n, config: null, x: at, y: y(row[1]), tip: () => [range, row[1].toLocaleString('en')] });
        });
        x.ticks(6).forEach(t => text(s.root, x(t), box.bottom + 16, tickOf(x, 6)(t), 'quiet', 'middle'));
        line(s.root, box.left, box.bottom, box.right, box.bottom, 'rule');
        s.hit = px => s.marks.find(m => Math.abs(m.x - px) <= w / 2 + 0.5);
    }

    // ---- the table of charts -------------------------------------------------------------------------------

    function slotChoices() {
        return [['place', 'place']].concat(D.slots.map((slot, s) => [String(s), slotName(s)]));
    }

    function rowChoices() {
        return [['30', '30'], ['100', '100'], ['300', '300'], ['all', 'all']];
    }

    // Options of a chart: {key, label, choices(): [[value, text], ...], initial}. initial is the first choice if
    // left out. The value is a member of `view` and of the address (`panel.key`).
    const WEIGHT = axesByWeight();
    const charts = [
        { id: 'forest', draw: drawForest, options: [
            { key: 'rows', label: 'rows', choices: rowChoices },
            { key: 'sort', label: 'order', choices: () => [['place', 'place'], ['cost', 'seconds'], ['id', 'id']] }] },
        { id: 'folds', draw: drawFolds, options: [
            { key: 'columns', label: 'columns by', choices: slotChoices },
            { key: 'rows', label: 'rows by', choices: () => [['fold', 'fold'], ['score', 'mean, hardest first']] },
            { key: 'colour', label: 'colour', choices: () => [['score', 'score'], ['relative', 'difference to the mean of the fold']] }] },
        { id: 'axis', draw: drawAxis, options: [{ key: 'axis', label: 'axis', choices: axisChoices, initial: WEIGHT[0] }] },
        { id: 'pair', draw: drawPair, options: [
            { key: 'x', label: 'across', choices: axisChoices, initial: WEIGHT[0] },
            { key: 'y', label: 'up', choices: axisChoices, initial: WEIGHT[1] },
            { key: 'value', label: 'show', choices: () => [['mean', 'mean of configurations'], ['best', 'best configuration']] }] },
        { id: 'parallel', draw: drawParallel, options: [
            { key: 'top', label: 'show', choices: () => [100, 50, 25, 10, 5, 1].map(v => [String(v), v === 100 ? 'all' : 'top ' + v + ' %']) }] },
        { id: 'curves', draw: drawCurves, options: [
            { key: 'config', label: 'configuration', choices: curveChoices },
            { key: 'measure', label: 'show', choices: () => [['loss', 'loss'], ['metric', D.sweep.metric]] },
            { key: 'log', label: 'scale', choices: () => [['auto', 'automatic'], ['no', 'linear'], ['yes', 'logarithmic']] }] },
        { id: 'cost', draw: drawCost, options: [
            { key: 'cost', label: 'cost', choices: () => [['seconds', 'seconds'], ['flops', 'floating-point operations']] }] },
        { id: 'types', draw: drawTypes, options: [] },
        { id: 'predicted', draw: drawPredicted, options: [{ key: 'group', label: 'group', choices: groupChoices }] },
        { id: 'test', draw: drawTest, options: [] },
        { id: 'run', draw: drawRun, options: [{ key: 'session', label: 'show', choices: sessionChoices }] },
        { id: 'data', draw: drawData, options: [] }
    ];

    // ---- panels: controls and drawing ----------------------------------------------------------------------

    let panels = [];

    function setView(key, value) {
        if (key === 'parallel.top') state.top = Number(value);
        else state.view[key] = value;
        changed();
    }

    // The value of an option: from the state if it is one of the choices, else the initial one.
    function optionValue(panel, option) {
        const choices = option.choices();
        const stored = option.key === 'top' ? String(state.top) : state.view[panel.chart.id + '.' + option.key];
        if (choices.some(choice => choice[0] === stored)) return stored;
        return option.initial && choices.some(choice => choice[0] === option.initial) ? option.initial : choices[0][0];
    }

    function panelOf(row) {
        const section = document.getElementById('panel-' + row.id);
        if (!section || section.classList.contains('empty') || !section.querySelector('.chart')) return null;
        const node = section.querySelector('.chart');
        const caption = section.querySelector('figcaption');
        const controls = section.querySelector('.controls');
        const panel = { row, section, node, caption, controls, stale: true, active: null, chart: { id: row.id, surfaces: [] } };
        const title = section.querySelector('h2').textContent;
        panel.text = caption && caption.textContent !== title ? caption.textContent : '';
        node.classList.add('live');
        node.replaceChildren();
        node.setAttribute('tabindex', '0');
        node.setAttribute('role', 'group');
        node.setAttribute('aria-label', title + ' chart. Arrow keys move between marks, Enter selects. A table follows.');
        node.addEventListener('keydown', event => onKey(panel, event));
        node.addEventListener('blur', () => leave(panel));
        return panel;
    }

    function showControls(panel) {
        const { row, controls, section } = panel;
        if (!controls) return;
        const focused = controls.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        const nodes = row.options.filter(option => option.choices().length > 1).map(option => {
            const node = select(option.choices(), optionValue(panel, option), null, value => setView(row.id + '.' + option.key, value));
            node.dataset.key = option.key;
            return el('label', null, option.label, node);
        });
        const title = section.querySelector('h2').textContent;
        const tools = el('span', { class: 'tools' }, button('SVG', 'Save ' + title + ' as SVG', () => saveSvg(panel)), button('PNG', 'Save ' + title + ' as PNG', () => savePng(panel)));
        controls.replaceChildren(...nodes, tools);
        if (focused) controls.querySelector('[data-key="' + focused + '"]').focus();
    }

    function drawPanel(panel) {
        const { row, node } = panel;
        panel.stale = false;
        showControls(panel);
        const view = {};
        row.options.forEach(option => { view[option.key] = optionValue(panel, option); });
        node.replaceChildren();
        panel.chart = { id: row.id, node, panel, width: Math.max(280, Math.floor(node.clientWidth)), surfaces: [], note: '' };
        row.draw(panel.chart, view);
        if (panel.caption) panel.caption.textContent = panel.chart.note + panel.text;
        if (document.activeElement === node && panel.active) restoreActive(panel);
    }

    function restoreActive(panel) {
        panel.chart.surfaces.forEach(s => s.marks.forEach(mark => {
            if (mark.key === panel.active) showActive(panel, { s, mark });
        }));
    }

    function nothing(chart, why) {
        chart.node.append(el('p', { class: 'why' }, why || 'No configuration passes the filter.'));
    }

    // Draw stale panels: those in sight at once, the others one by one while the browser is idle.
    let waiting = false;

    function drawSoon() {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
            waiting = false;
            panels.filter(panel => panel.stale && inSight(panel.section)).forEach(drawPanel);
            performance.mark('usable');
            drawIdle();
        });
    }

    function inSight(node) {
        const box = node.getBoundingClientRect();
        return box.bottom > -100 && box.top < innerHeight + 100;
    }

    function drawIdle() {
        const panel = panels.find(one => one.stale);
        document.documentElement.dataset.drawn = panel ? 'some' : 'all';
        if (!panel) return;
        whenIdle(() => {
            if (panel.stale) drawPanel(panel);
            drawIdle();
        });
    }

    function whenIdle(f) {
        if (window.requestIdleCallback) requestIdleCallback(f, { timeout: 200 });
        else setTimeout(f, 20);
    }

    // ---- figures as files ----------------------------------------------------------------------------------

    const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linejoin', 'paint-order', 'font-family', 'font-size', 'font-weight'];

    // One SVG of all surfaces of a chart, with its styles written into the elements.
    function standalone(panel) {
        const frame = panel.node.getBoundingClientRect();
        const out = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
        const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
        title.textContent = D.sweep.name + ': ' + panel.section.querySelector('h2').textContent;
        paper.setAttribute('width', '100%');
        paper.setAttribute('height', '100%');
        paper.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
        out.append(title, paper);
        let height = 1;
        panel.chart.surfaces.forEach(s => {
            const node = s.root.node();
            const window = visiblePart(node);
            const copy = node.cloneNode(true);
            inline(node, copy);
            copy.querySelectorAll('.focus, .brushable').forEach(one => one.remove());
            Object.entries({ x: window.left - frame.left, y: window.top - frame.top, width: window.width, height: window.height, viewBox: [0, window.top - window.whole, window.width, window.height].join(' ') })
                .forEach(([key, value]) => copy.setAttribute(key, value));
            height = Math.max(height, window.top - frame.top + window.height);
            out.append(copy);
        });
        Object.entries({ xmlns: 'http://www.w3.org/2000/svg', width: Math.ceil(frame.width), height: Math.ceil(height), viewBox: '0 0 ' + Math.ceil(frame.width) + ' ' + Math.ceil(height) })
            .forEach(([key, value]) => out.setAttribute(key, value));
        return { text: new XMLSerializer().serializeToString(out), width: Math.ceil(frame.width), height: Math.ceil(height) };
    }

    // The box of an SVG as far as its scrolling parent shows it; whole: its own top.
    function visiblePart(node) {
        const box = node.getBoundingClientRect();
        const scroller = node.parentNode.classList.contains('scroller') ? node.parentNode.getBoundingClientRect() : box;
        const top = Math.max(box.top, scroller.top);
        return { left: box.left, top, width: box.width, height: Math.min(box.bottom, scroller.bottom) - top, whole: box.top };
    }

    function inline(from, to) {
        const style = getComputedStyle(from);
        STYLES.forEach(key => {
            const value = style.getPropertyValue(key);
            if (value && value !== 'normal') to.setAttribute(key, value);
        });
        to.removeAttribute('class');
        if (from.classList.contains('focus') || from.classList.contains('brushable')) to.setAttribute('class', from.getAttribute('class'));
        for (let k = 0; k < from.children.length; k++) inline(from.children[k], to.children[k]);
    }

    function saveSvg(panel) {
        download(fileName(panel.row.id, 'svg'), new Blob([standalone(panel).text], { type: 'image/svg+xml' }));
    }

    // PNG with two pixels for each pixel of the page.
    function savePng(panel) {
        const { text: source, width, height } = standalone(panel);
        const url = URL.createObjectURL(new Blob([source], { type: 'image/svg+xml' }));
        const image = new Image();
        image.onload = () => {
            const canvas = el('canvas', { width: 2 * width, height: 2 * height });
            const context = canvas.getContext('2d');
            context.scale(2, 2);
            context.drawImage(image, 0, 0, width, height);
            URL.revokeObjectURL(url);
            canvas.toBlob(blob => download(fileName(panel.row.id, 'png'), blob), 'image/png');
        };
        image.src = url;
    }

    // ---- tables --------------------------------------------------------------------------------------------

    let tables = [];

    function csvOf(rows) {
        const field = v => {
            const string = v === null || v === undefined ? '' : String(v);
            return /[",\n\r]/.test(string) ? '"' + string.replace(/"/g, '""') + '"' : string;
        };
        return rows.map(row => row.map(field).join(',')).join('\n') + '\n';
    }

    function saveCsv(id, rows) {
        download(fileName(id, 'csv'), new Blob([csvOf(rows)], { type: 'text/csv' }));
    }

    function cellText(cell) {
        const sortButton = cell.querySelector('button');
        return (sortButton || cell).textContent.trim();
    }

    // All configurations with their values: the table on the page may be shorter.
    function allConfigurations() {
        const head = ['config', 'place'].concat(AXES.map(axis => axis.name), ['type', 'trials', 'mean', 'sd', 'se', 'difference', 'low', 'high', 'within_se', 'seconds', 'flops'], D.slots.map((slot, s) => slotName(s)));
        return [head].concat(C.id.map((id, i) => [id, C.place[i]].concat(AXES.map((axis, a) => (C.level[a][i] < 0 ? '' : axis.levels[C.level[a][i]])),
            [D.types[C.type[i]], C.n[i], C.mean[i], C.sd[i], C.se[i], C.diff[i], C.low[i], C.high[i], C.within[i], C.seconds[i], C.flops[i]], D.value.map(row => row[i]))));
    }

    function tableOf(details, n) {
        const node = details.querySelector('table');
        const section = details.closest('.panel');
        const id = section ? section.id.replace('panel-', '') : 'table';
        if (!node || !node.tHead) return null;
        const table = { id: id + (n ? n + 1 : ''), node, heads: [...node.tHead.rows[0].cells], body: node.tBodies[0] };
        table.rows = [...table.body.rows];
        const frame = el('div', { class: 'table', tabindex: '0', role: 'region', 'aria-label': 'Table' });
        const tools = el('p', { class: 'tools' }, button('CSV', 'Save this table as CSV', () => saveCsv(table.id, [table.heads.map(cellText)].concat([...table.body.rows].map(row => [...row.cells].map(cellText))))));
        if (id === 'forest') tools.append(' ', button('CSV of all configurations', 'Save all configurations as CSV', () => saveCsv('configurations', allConfigurations())));
        node.before(frame);
        frame.append(tools, node);
        table.heads.forEach((cell, column) => sortable(table, cell, column));
        table.rows.forEach(row => pickable(row));
        return table;
    }

    function sortable(table, cell, column) {
        const label = cell.textContent;
        cell.replaceChildren(el('button', { type: 'button', title: 'Sort by ' + label, on: { click: () => {
            state.sort[table.id] = column + (state.sort[table.id] === column + '+' ? '-' : '+');
            changed();
        } } }, label));
    }

    function pickable(row) {
        const id = Number(row.dataset.config);
        if (!row.dataset.config || !indexOf.has(id)) return;
        const cell = row.cells[0];
        cell.replaceChildren(el('button', { type: 'button', 'aria-pressed': 'false', on: { click: () => toggle(id) } }, cell.textContent));
    }

    function numberOf(string) {
        const match = string.replace(/\u2212/g, '-').replace(/[\u00a0\u202f,](?=\d{3})/g, '').match(/^c?(-?\d*\.?\d+(?:e[-+]?\d+)?)/i);
        return match ? Number(match[1]) : null;
    }

    // Numbers by size, texts by alphabet, empty cells last.
    function compareCells(p, q, sign) {
        if (!p || !q) return (p ? 0 : 1) - (q ? 0 : 1);
        const [a, b] = [numberOf(p), numberOf(q)];
        if (a !== null && b !== null && a !== b) return sign * (a - b);
        return sign * p.localeCompare(q, 'en');
    }

    function sortTable(table) {
        const match = /^(\d+)([+-])$/.exec(state.sort[table.id] || '');
        const column = match && Number(match[1]) < table.heads.length ? Number(match[1]) : null;
        if (table.sorted === (state.sort[table.id] || '')) return;
        table.sorted = state.sort[table.id] || '';
        table.heads.forEach((cell, n) => {
            if (n === column) cell.setAttribute('aria-sort', match[2] === '+' ? 'ascending' : 'descending');
            else cell.removeAttribute('aria-sort');
        });
        const rows = table.rows.slice();
        if (column !== null) rows.sort((p, q) => compareCells(cellText(p.cells[column]), cellText(q.cells[column]), match[2] === '+' ? 1 : -1));
        table.body.append(...rows);
    }

    function markRows() {
        tables.forEach(table => {
            sortTable(table);
            table.rows.forEach(row => {
                if (!row.dataset.config) return;
                const on = state.selected.includes(Number(row.dataset.config));
                row.classList.toggle('picked', on);
                const pick = row.cells[0].querySelector('button');
                if (pick) pick.setAttribute('aria-pressed', String(on));
            });
        });
    }

    // ---- bars: filter, theme, selection --------------------------------------------------------------------

    const count = el('span', { class: 'count' });
    const choices = el('div', { class: 'choices' });
    const bar = el('div', { class: 'bar', role: 'region', 'aria-label': 'Filter and display' });
    const selection = el('div', { class: 'selection', role: 'region', 'aria-label': 'Selected configurations', hidden: true });

    function makeBar() {
        const details = el('details', { class: 'filter' }, el('summary', null, 'Filter: ', count), choices);
        details.addEventListener('keydown', event => {
            if (event.key !== 'Escape') return;
            details.open = false;
            details.querySelector('summary').focus();
        });
        document.addEventListener('click', event => {
            if (!details.contains(event.target) && event.target.isConnected) details.open = false;
        });
        const themes = [['auto', 'as the system'], ['light', 'light'], ['dark', 'dark']];
        bar.append(details, el('label', { class: 'theme' }, 'colours', select(themes, theme, null, setTheme)));
        AXES.forEach((axis, a) => choices.append(levelBoxes(a)));
        const top = el('input', { type: 'range', min: 1, max: 100, on: { input: () => {
            state.top = Number(top.value);
            changed();
        } } });
        choices.prepend(el('label', null, 'best ', top, el('output', { class: 'top' })));
        choices.append(el('p', null, button('Show all', 'Remove the filter', () => {
            state.top = 100;
            state.levels = AXES.map(() => null);
            changed();
        })));
    }

    function levelBoxes(a) {
        const ks = AXES[a].levels.map((v, k) => k);
        if (C.level[a].includes(-1)) ks.push(-1);
        const field = el('fieldset', { 'data-axis': a }, el('legend', null, AXES[a].name));
        ks.forEach(k => field.append(el('label', null, el('input', { type: 'checkbox', value: k, checked: true, on: { change: () => {
            const on = [...field.querySelectorAll('input')].filter(box => box.checked).map(box => Number(box.value));
            state.levels[a] = on.length === ks.length ? null : new Set(on);
            changed();
        } } }), levelText(a, k))));
        return field;
    }

    function showBars() {
        const n = shown.filter(Boolean).length;
        count.textContent = isFiltered() ? n.toLocaleString('en') + ' of ' + plural(N, 'configuration') : 'all ' + plural(N, 'configuration');
        choices.querySelectorAll('fieldset').forEach(field => field.querySelectorAll('input').forEach(box => {
            const set = state.levels[Number(field.dataset.axis)];
            box.checked = set === null || set.has(Number(box.value));
        }));
        const top = choices.querySelector('input[type=range]');
        if (top) {
            top.value = state.top;
            choices.querySelector('.top').textContent = state.top + ' %';
        }
        showSelection();
    }

    function showSelection() {
        const nodes = state.selected.slice(0, 6).map(id => {
            const i = indexOf.get(id);
            return el('span', { class: 'chip' }, el('strong', null, name(i)), ' ' + (C.mean[i] === null ? '' : score(C.mean[i]) + ' \u00b7 ') + settings(i) + ' ', button('\u00d7', 'Remove ' + name(i) + ' from the selection', () => toggle(id)));
        });
        const more = state.selected.length - nodes.length;
        if (more > 0) nodes.push(el('span', null, 'and ' + more + ' more'));
        nodes.push(button('Clear', 'Clear the selection', () => {
            state.selected = [];
            changed();
        }));
        selection.replaceChildren(...nodes);
        selection.hidden = state.selected.length === 0;
    }

    // Dark mode is one rule of the style sheet; the choice replaces its condition. Print is always light.
    let theme = 'auto';
    const darkRule = findDarkRule();
    const CONDITIONS = { auto: 'screen and (prefers-color-scheme: dark)', light: 'not all', dark: 'screen' };

    function findDarkRule() {
        for (const sheet of document.styleSheets) {
            for (const rule of sheet.cssRules) {
                if (rule.media && rule.media.mediaText.includes('prefers-color-scheme')) return rule;
            }
        }
        return null;
    }

    function isDark() {
        return darkRule !== null && matchMedia(darkRule.media.mediaText).matches;
    }

    function setTheme(value) {
        theme = value;
        if (darkRule) darkRule.media.mediaText = CONDITIONS[value];
        try {
            localStorage.setItem('espalier-colours', value);
        } catch (e) {
            // A page that was opened from a file may have no storage; the choice then lasts until reload.
        }
        redraw();
    }

    function storedTheme() {
        try {
            return localStorage.getItem('espalier-colours');
        } catch (e) {
            return null;
        }
    }

    // ---- start ---------------------------------------------------------------------------------------------

    function redraw() {
        document.documentElement.dataset.drawn = 'some';
        panels.forEach(panel => { panel.stale = true; });
        drawSoon();
    }

    // The panel at the top of the window, for the address and the list of panels.
    function onScroll() {
        hideTip();
        const sections = [...document.querySelectorAll('.panel')];
        const at = sections.filter(node => node.getBoundingClientRect().top < innerHeight / 3).pop();
        const id = at ? at.id.replace('panel-', '') : '';
        drawSoon();
        if (id === state.at) return;
        state.at = id;
        markLink();
        writeAddress();
    }

    function markLink() {
        document.querySelectorAll('nav a').forEach(link => {
            if (link.getAttribute('href') === '#panel-' + state.at) link.setAttribute('aria-current', 'true');
            else link.removeAttribute('aria-current');
        });
    }

    function goTo(id, behavior) {
        const section = document.getElementById('panel-' + id);
        if (!section) return;
        section.scrollIntoView({ behavior, block: 'start' });
    }

    function onLink(event) {
        const link = event.target.closest('a[href^="#panel-"]');
        if (!link) return;
        event.preventDefault();
        const id = link.getAttribute('href').slice(7);
        goTo(id, 'auto');
        const section = document.getElementById('panel-' + id);
        section.setAttribute('tabindex', '-1');
        section.focus({ preventScroll: true });
    }

    function onAddress() {
        readAddress();
        const at = state.at;
        changed();
        goTo(at, 'instant');
    }

    // Print: light, everything drawn, all tables open.
    let closed = [];

    function beforePrint() {
        closed = [...document.querySelectorAll('details.data:not([open])')];
        closed.forEach(details => { details.open = true; });
        if (darkRule) darkRule.media.mediaText = CONDITIONS.light;
        panels.forEach(drawPanel);
    }

    function afterPrint() {
        closed.forEach(details => { details.open = false; });
        if (darkRule) darkRule.media.mediaText = CONDITIONS[theme];
        redraw();
    }

    // A paragraph to copy, such as the methods, gets a button.
    function addCopy(node) {
        // Browsers offer the clipboard only to pages that they trust; elsewhere the text is selected.
        const mark = () => getSelection().selectAllChildren(node);
        const copy = button('Copy', 'Copy this text', () => {
            if (!navigator.clipboard) return mark();
            return navigator.clipboard.writeText(node.textContent).then(() => {
                copy.textContent = 'Copied';
                setTimeout(() => { copy.textContent = 'Copy'; }, 2000);
            }, mark);
        });
        node.after(el('p', { class: 'controls' }, copy));
    }

    function listen() {
        let width = innerWidth;
        window.addEventListener('scroll', () => requestAnimationFrame(onScroll), { passive: true });
        window.addEventListener('hashchange', onAddress);
        window.addEventListener('beforeprint', beforePrint);
        window.addEventListener('afterprint', afterPrint);
        window.addEventListener('resize', () => {
            if (innerWidth !== width) redraw();
            width = innerWidth;
        });
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
        document.addEventListener('click', onLink);
    }

    function start() {
        if (CONDITIONS[storedTheme()]) theme = storedTheme();
        readAddress();
        tables = [...document.querySelectorAll('details.data')].map((details, n, all) =>
            tableOf(details, all.slice(0, n).filter(one => one.closest('.panel') === details.closest('.panel')).length)).filter(Boolean);
        document.querySelectorAll('.copy').forEach(addCopy);
        if (WITH_D3) {
            document.querySelector('main').prepend(bar);
            document.body.append(selection, tip, heard);
            makeBar();
            if (darkRule) darkRule.media.mediaText = CONDITIONS[theme];
            panels = charts.map(panelOf).filter(Boolean);
        }
        const at = state.at;
        listen();
        changed();
        if (at) requestAnimationFrame(() => goTo(at, 'instant'));
        document.documentElement.dataset.ready = WITH_D3 ? 'charts' : 'tables';
    }

    start();
}());
