// SPDX-License-Identifier: BSD-3-Clause
//
// A surface is an SVG with marks: {key, config, x, y, w, h, tip(), go()}. config, the size of a
// rectangle and go(), the action of a click, may be left out. Pointer, keyboard and tooltip work on
// marks.

// label names the figure for a screen reader. Returns {root, width, height, marks}. hit(x, y) may
// be set to find the mark at a point; otherwise the nearest one within 16 pixels is taken.
function surface(chart, width, height, label, parent) {
    const root = d3
        .select(parent || chart.node)
        .append('svg')
        .attr('viewBox', '0 0 ' + width + ' ' + height)
        .attr('width', width)
        .attr('height', height)
        .attr('role', 'img')
        .attr('aria-label', label);
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

// A mark for each of a list of configurations. at(i): its point; tip(i): lines of its tooltip.
function markConfigs(s, list, at, tip) {
    list.forEach(i => {
        const [x, y] = at(i);
        s.marks.push({ key: 'c' + C.id[i], config: i, x, y, tip: () => tip(i) });
    });
}

function markAt(s, event) {
    const box = s.root.node().getBoundingClientRect();
    const scale = s.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    if (s.hit) return s.hit(x, y) || null;
    if (!s.tree) s.tree = d3.quadtree().x(m => m.x).y(m => m.y).addAll(s.marks);
    return s.tree.find(x, y, 16) || null;
}

function choose(mark) {
    if (mark.go) mark.go();
    else if (mark.config !== undefined) toggle(C.id[mark.config]);
}

function pointAt(s, event) {
    const mark = markAt(s, event);
    ring(s.chart, null);
    if (!mark) return hideTip();
    ring(s.chart, mark, s);
    showTip(mark, event.clientX, event.clientY);
}

// Mark the mark under the pointer or the keyboard.
function ring(chart, mark, s) {
    chart.surfaces.forEach(each => each.root.selectAll('.focus').remove());
    if (!mark) return;
    const { x, y, w, h } = mark;
    if (w) rect(s.root, x - w / 2, y - h / 2, w, h, 'focus');
    else dots(s.root, [[x, y]], 8, 0, 'focus');
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

// Keys: arrows, Page Up and Down, Home and End move over the marks of all surfaces; Enter or space
// selects.
function onKey(panel, event) {
    const all = panel.chart.surfaces.flatMap(s => s.marks.map(mark => ({ s, mark })));
    if (!all.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = {
        ArrowRight: 1,
        ArrowDown: 1,
        ArrowLeft: -1,
        ArrowUp: -1,
        PageDown: 10,
        PageUp: -10
    };
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
    const picked = one.mark.config !== undefined && isSelected(one.mark.config);
    heard.textContent = one.mark.tip().join(', ') + (picked ? ', selected' : '');
}
