// SPDX-License-Identifier: BSD-3-Clause
//
// The bar of filter and colours, and the bar of the selection.

const count = el('span', { class: 'count' });
const choices = el('div', { class: 'choices' });
const top = el('input', { type: 'range', min: 1, max: 100 });
const topText = el('output');
const bar = el('div', { class: 'bar', role: 'region', 'aria-label': 'Filter and display' });
const selection = el('div', {
    class: 'selection',
    role: 'region',
    'aria-label': 'Selected configurations',
    hidden: true
});

function makeBar() {
    const summary = el('summary', null, 'Filter: ', count);
    const details = el('details', { class: 'filter' }, summary, choices);
    details.addEventListener('keydown', event => {
        if (event.key !== 'Escape') return;
        details.open = false;
        summary.focus();
    });
    document.addEventListener('click', event => {
        if (!details.contains(event.target) && event.target.isConnected) details.open = false;
    });
    const themes = [
        ['auto', 'as the system'],
        ['light', 'light'],
        ['dark', 'dark']
    ];
    bar.append(
        details,
        el('label', { class: 'theme' }, 'colours', select(themes, theme, null, setTheme))
    );
    const input = () => {
        state.top = Number(top.value);
        changed();
    };
    const showAll = () => {
        Object.assign(state, { top: 100, levels: initialState().levels });
        changed();
    };
    choices.append(
        el('label', null, 'best ', top, topText),
        ...AXES.map((axis, a) => levelBoxes(a)),
        el('p', null, button('Show all', 'Remove the filter', showAll))
    );
    top.addEventListener('input', input);
}

function levelBoxes(a) {
    const ks = [...AXES[a].levels.keys()];
    if (C.level[a].includes(-1)) ks.push(-1);
    const field = el('fieldset', { 'data-axis': a }, el('legend', null, AXES[a].name));
    const change = () => {
        const on = [...field.querySelectorAll('input:checked')].map(box => Number(box.value));
        state.levels[a] = on.length === ks.length ? null : new Set(on);
        changed();
    };
    ks.forEach(k => {
        const box = el('input', { type: 'checkbox', value: k, checked: true, on: { change } });
        field.append(el('label', null, box, levelText(a, k)));
    });
    return field;
}

function showBars() {
    const n = shown.filter(Boolean).length;
    count.textContent = isFiltered()
        ? n.toLocaleString('en') + ' of ' + plural(N, 'configuration')
        : 'all ' + plural(N, 'configuration');
    choices.querySelectorAll('fieldset').forEach(field =>
        field.querySelectorAll('input').forEach(box => {
            const set = state.levels[Number(field.dataset.axis)];
            box.checked = set === null || set.has(Number(box.value));
        })
    );
    top.value = state.top;
    topText.textContent = state.top + ' %';
    showSelection();
}

function removeButton(i) {
    return button('\u00d7', 'Remove ' + name(i) + ' from the selection', () => toggle(C.id[i]));
}

function chips() {
    const nodes = state.selected.slice(0, 6).map(id => {
        const i = indexOf.get(id);
        const mean = C.mean[i] === null ? '' : score(C.mean[i]) + ' \u00b7 ';
        const title = el('strong', null, name(i));
        return el('span', { class: 'chip' }, title, ` ${mean}${settings(i)} `, removeButton(i));
    });
    const more = state.selected.length - nodes.length;
    if (more > 0) nodes.push(el('span', null, 'and ' + more + ' more'));
    return nodes;
}

// Buttons of the selection, for the table or for its absence.
function selectionTools(comparing) {
    const tools = el('span', { class: 'tools' });
    const turn = value => () => {
        state.view['selection.table'] = value;
        changed();
    };
    if (comparing)
        tools.append(
            button('CSV', 'Save the comparison as CSV', saveComparison),
            button('Hide', 'Hide the comparison', turn('hidden'))
        );
    else if (compared().length > 1)
        tools.append(button('Compare', 'Show the configurations beside each other', turn('shown')));
    const clear = () => {
        state.selected = [];
        changed();
    };
    tools.append(button('Clear', 'Clear the selection', clear));
    return tools;
}

// The bar is made anew at each change: it keeps the focus and how far its table is scrolled.
function showSelection() {
    const comparing = isComparing();
    const active = document.activeElement;
    const focused = selection.contains(active) ? active.getAttribute('aria-label') : null;
    const old = selection.querySelector('.table');
    const [left, top] = old ? [old.scrollLeft, old.scrollTop] : [0, 0];
    const title = () => el('strong', null, 'Comparison with ' + name(compared()[0]));
    selection.replaceChildren(...(comparing ? [title()] : chips()), selectionTools(comparing));
    if (comparing) selection.append(comparisonTable());
    selection.classList.toggle('comparing', comparing);
    selection.hidden = state.selected.length === 0;
    if (comparing) selection.querySelector('.table').scrollTo(left, top);
    // The end of the page, and what gets the focus, stay above the bar.
    const height = selection.hidden ? '' : selection.offsetHeight + 24 + 'px';
    document.body.style.paddingBottom = height;
    document.documentElement.style.scrollPaddingBottom = height;
    if (focused === null || selection.hidden) return;
    const labels = [...selection.querySelectorAll('[aria-label]')];
    (labels.find(node => node.getAttribute('aria-label') === focused) || labels[0]).focus();
}

// Dark mode is one rule of the style sheet; the choice replaces its condition. Print is always
// light.
let theme = 'auto';
const darkRule = [...document.styleSheets]
    .flatMap(sheet => [...sheet.cssRules])
    .find(rule => rule.media && rule.media.mediaText.includes('prefers-color-scheme'));
const CONDITIONS = {
    auto: 'screen and (prefers-color-scheme: dark)',
    light: 'not all',
    dark: 'screen'
};

function isDark() {
    return matchMedia(darkRule.media.mediaText).matches;
}

function setTheme(value) {
    theme = value;
    darkRule.media.mediaText = CONDITIONS[value];
    try {
        localStorage.setItem('espalier-colours', value);
    } catch (e) {
        // A page that was opened from a file may have no storage; the choice then lasts until
        // reload.
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
