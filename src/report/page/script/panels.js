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
    const choices = option.choices();
    const stored =
        option.key === 'top' ? String(state.top) : state.view[panel.chart.id + '.' + option.key];
    if (choices.some(choice => choice[0] === stored)) return stored;
    return option.initial && choices.some(choice => choice[0] === option.initial)
        ? option.initial
        : choices[0][0];
}

function panelOf(row) {
    const section = document.getElementById('panel-' + row.id);
    if (!section || section.classList.contains('empty') || !section.querySelector('.chart'))
        return null;
    const node = section.querySelector('.chart');
    const caption = section.querySelector('figcaption');
    const controls = section.querySelector('.controls');
    const panel = {
        row,
        section,
        node,
        caption,
        controls,
        stale: true,
        active: null,
        chart: { id: row.id, surfaces: [] }
    };
    const title = section.querySelector('h2').textContent;
    panel.text = caption && caption.textContent !== title ? caption.textContent : '';
    node.setAttribute('tabindex', '0');
    node.setAttribute('role', 'group');
    node.setAttribute(
        'aria-label',
        title + ' chart. Arrow keys move between marks, Enter selects. A table follows.'
    );
    node.addEventListener('keydown', event => onKey(panel, event));
    node.addEventListener('blur', () => leave(panel));
    return panel;
}

function showControls(panel) {
    const { row, controls, section } = panel;
    if (!controls) return;
    const focused = controls.contains(document.activeElement)
        ? document.activeElement.dataset.key
        : null;
    const nodes = row.options
        .filter(option => option.choices().length > 1)
        .map(option => {
            const node = select(option.choices(), optionValue(panel, option), null, value =>
                setView(row.id + '.' + option.key, value)
            );
            node.dataset.key = option.key;
            return el('label', null, option.label, node);
        });
    const title = section.querySelector('h2').textContent;
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
    const view = {};
    row.options.forEach(option => {
        view[option.key] = optionValue(panel, option);
    });
    node.replaceChildren();
    panel.chart = {
        id: row.id,
        node,
        panel,
        width: Math.max(280, Math.floor(node.clientWidth)),
        surfaces: [],
        note: ''
    };
    row.draw(panel.chart, view);
    if (panel.caption) panel.caption.textContent = panel.chart.note + panel.text;
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
    whenIdle(() => {
        if (panel.stale) drawPanel(panel);
        drawIdle();
    });
    return undefined;
}

function whenIdle(f) {
    if (window.requestIdleCallback) requestIdleCallback(f, { timeout: 200 });
    else setTimeout(f, 20);
}
