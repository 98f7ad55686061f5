// SPDX-License-Identifier: BSD-3-Clause
//
// What a reader can change: selection, filter, options. The address keeps it.

const initialState = () => ({
    selected: [], // ids of configurations, in the order of selection
    levels: AXES.map(() => null), // for each axis the Set of levels to show, or null for all
    top: 100, // show this percentage of the scored configurations
    view: {}, // options of charts that differ from their defaults: 'panel.key'
    sort: {}, // for each table 'column+' or 'column-'
    at: '' // the panel to which the reader has scrolled
});
const state = initialState();
const scored = C.mean.filter(v => v !== null).length;
let shown = []; // for each configuration: does it pass the filter?

function filterShown() {
    const limit = state.top >= 100 ? N : Math.max(1, Math.ceil((scored * state.top) / 100));
    shown = C.id.map(
        (id, i) =>
            i < limit && state.levels.every((set, a) => set === null || set.has(C.level[a][i]))
    );
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
    Object.assign(state, initialState());
    if (text.startsWith('panel-')) state.at = text.slice(6);
    const pairs = new URLSearchParams(state.at ? '' : text);
    pairs.forEach((value, key) => {
        const a = AXES.findIndex(axis => 'only.' + axis.name === key);
        if (key === 'at') state.at = value;
        else if (key === 'c')
            state.selected = value
                .split(',')
                .map(Number)
                .filter(id => indexOf.has(id));
        else if (key === 'top' && value > 0 && value < 100) state.top = Number(value);
        else if (key.startsWith('sort.')) state.sort[key.slice(5)] = value;
        else if (a >= 0) state.levels[a] = levelsOf(a, value);
        else if (key.includes('.')) state.view[key] = value;
    });
}

// The levels of an axis from a JSON list of their texts; null, which keeps all, if there is none.
function levelsOf(a, list) {
    try {
        const texts = JSON.parse(list);
        const ks = [-1, ...AXES[a].levels.keys()];
        const kept = ks.filter(k => texts.includes(levelText(a, k)));
        return kept.length ? new Set(kept) : null;
    } catch (e) {
        return null;
    }
}

function writeAddress() {
    const pairs = new URLSearchParams();
    if (state.selected.length) pairs.set('c', state.selected.join(','));
    if (state.top < 100) pairs.set('top', state.top);
    state.levels.forEach((set, a) => {
        if (set)
            pairs.set('only.' + AXES[a].name, JSON.stringify([...set].map(k => levelText(a, k))));
    });
    Object.entries(state.view).forEach(([key, value]) => pairs.set(key, value));
    Object.entries(state.sort).forEach(([key, value]) => pairs.set('sort.' + key, value));
    if (state.at) pairs.set('at', state.at);
    const text = '#' + pairs.toString().replace(/%2C/g, ',');
    if (text !== (location.hash || '#')) history.replaceState(null, '', text);
}

function changed() {
    filterShown();
    writeAddress();
    showBars();
    markRows();
    redraw();
}
