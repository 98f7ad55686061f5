// SPDX-License-Identifier: BSD-3-Clause
//
// The panels that the charts fill.

let panels = [];

function setView(key, value) {
    if (key === 'parallel.top') state.top = Number(value);
    else state.view[key] = value;
    changed();
}

// The value of an option: from the state if it is one of the choices, else the initial one.
function optionValue(panel, option) {
    const values = option.choices().map(choice => choice[0]);
    const stored =
        option.key === 'top' ? String(state.top) : state.view[panel.row.id + '.' + option.key];
    return [stored, option.initial].find(value => values.includes(value)) || values[0];
}

function panelOf(row) {
    const section = document.getElementById('panel-' + row.id);
    const node = section && section.querySelector('.chart');
    if (!node) return null;
    const panel = {
        row,
        section,
        node,
        caption: section.querySelector('figcaption'),
        controls: section.querySelector('.controls'),
        title: section.querySelector('h2').textContent,
        stale: true,
        active: null,
        chart: { surfaces: [] }
    };
    panel.text = panel.caption.textContent;
    node.setAttribute('tabindex', '0');
    node.setAttribute('role', 'group');
    node.setAttribute(
        'aria-label',
        panel.title + ' chart. Arrow keys move between marks, Enter selects. A table follows.'
    );
    node.addEventListener('keydown', event => onKey(panel, event));
    node.addEventListener('blur', () => leave(panel));
    return panel;
}

function showControls(panel) {
    const { row, controls, title } = panel;
    const active = document.activeElement;
    const focused = controls.contains(active) ? active.dataset.key : null;
    const nodes = row.options
        .filter(option => option.choices().length > 1)
        .map(option => {
            const set = value => setView(row.id + '.' + option.key, value);
            const node = select(option.choices(), optionValue(panel, option), null, set);
            node.dataset.key = option.key;
            return el('label', null, option.label, node);
        });
    const tools = el(
        'span',
        { class: 'tools' },
        button('SVG', 'Save ' + title + ' as SVG', () => saveSvg(panel)),
        button('PNG', 'Save ' + title + ' as PNG', () => savePng(panel))
    );
    controls.replaceChildren(...nodes, tools);
    if (focused) controls.querySelector('[data-key="' + focused + '"]').focus();
}

function drawPanel(panel) {
    const { row, node } = panel;
    panel.stale = false;
    showControls(panel);
    const values = row.options.map(option => [option.key, optionValue(panel, option)]);
    node.replaceChildren();
    panel.chart = {
        node,
        panel,
        width: Math.max(280, Math.floor(node.clientWidth)),
        surfaces: [],
        note: ''
    };
    row.draw(panel.chart, Object.fromEntries(values));
    panel.caption.textContent = panel.chart.note + panel.text;
    if (document.activeElement === node && panel.active) restoreActive(panel);
}

function restoreActive(panel) {
    panel.chart.surfaces.forEach(s =>
        s.marks.forEach(mark => {
            if (mark.key === panel.active) showActive(panel, { s, mark });
        })
    );
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
    if (!panel) return findPlace();
    const draw = () => {
        if (panel.stale) drawPanel(panel);
        drawIdle();
    };
    if (window.requestIdleCallback) requestIdleCallback(draw, { timeout: 200 });
    else setTimeout(draw, 20);
}
