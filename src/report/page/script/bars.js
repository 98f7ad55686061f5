// SPDX-License-Identifier: BSD-3-Clause
//
// The bar of filter and colours, and the bar of the selection.

const count = el('span', { class: 'count' });
const choices = el('div', { class: 'choices' });
const bar = el('div', { class: 'bar', role: 'region', 'aria-label': 'Filter and display' });
const selection = el('div', {
    class: 'selection',
    role: 'region',
    'aria-label': 'Selected configurations',
    hidden: true
});

function makeBar() {
    const details = el(
        'details',
        { class: 'filter' },
        el('summary', null, 'Filter: ', count),
        choices
    );
    details.addEventListener('keydown', event => {
        if (event.key !== 'Escape') return;
        details.open = false;
        details.querySelector('summary').focus();
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
    AXES.forEach((axis, a) => choices.append(levelBoxes(a)));
    const top = el('input', {
        type: 'range',
        min: 1,
        max: 100,
        on: {
            input: () => {
                state.top = Number(top.value);
                changed();
            }
        }
    });
    choices.prepend(el('label', null, 'best ', top, el('output', { class: 'top' })));
    choices.append(
        el(
            'p',
            null,
            button('Show all', 'Remove the filter', () => {
                state.top = 100;
                state.levels = AXES.map(() => null);
                changed();
            })
        )
    );
}

function levelBoxes(a) {
    const ks = AXES[a].levels.map((v, k) => k);
    if (C.level[a].includes(-1)) ks.push(-1);
    const field = el('fieldset', { 'data-axis': a }, el('legend', null, AXES[a].name));
    ks.forEach(k =>
        field.append(
            el(
                'label',
                null,
                el('input', {
                    type: 'checkbox',
                    value: k,
                    checked: true,
                    on: {
                        change: () => {
                            const on = [...field.querySelectorAll('input')]
                                .filter(box => box.checked)
                                .map(box => Number(box.value));
                            state.levels[a] = on.length === ks.length ? null : new Set(on);
                            changed();
                        }
                    }
                }),
                levelText(a, k)
            )
        )
    );
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
        return el(
            'span',
            { class: 'chip' },
            el('strong', null, name(i)),
            ' ' + (C.mean[i] === null ? '' : score(C.mean[i]) + ' \u00b7 ') + settings(i) + ' ',
            button('\u00d7', 'Remove ' + name(i) + ' from the selection', () => toggle(id))
        );
    });
    const more = state.selected.length - nodes.length;
    if (more > 0) nodes.push(el('span', null, 'and ' + more + ' more'));
    nodes.push(
        button('Clear', 'Clear the selection', () => {
            state.selected = [];
            changed();
        })
    );
    selection.replaceChildren(...nodes);
    selection.hidden = state.selected.length === 0;
}

// Dark mode is one rule of the style sheet; the choice replaces its condition. Print is always
// light.
let theme = 'auto';
const darkRule = findDarkRule();
const CONDITIONS = {
    auto: 'screen and (prefers-color-scheme: dark)',
    light: 'not all',
    dark: 'screen'
};

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
