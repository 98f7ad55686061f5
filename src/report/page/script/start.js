// SPDX-License-Identifier: BSD-3-Clause
//
// Scrolling, links, print, and the start of all.

function redraw() {
    document.documentElement.dataset.drawn = 'some';
    panels.forEach(panel => (panel.stale = true));
    drawSoon();
}

function onScroll() {
    hideTip();
    drawSoon();
    findPlace();
}

// The panel at the top of the window, for the address and the list of panels.
function findPlace() {
    const sections = [...document.querySelectorAll('.panel')];
    const at = sections.filter(node => node.getBoundingClientRect().top < innerHeight / 3).pop();
    const id = at ? at.id.replace('panel-', '') : '';
    if (id === state.at) return;
    state.at = id;
    markLink();
    writeAddress();
}

function markLink() {
    document.querySelectorAll('nav a').forEach(link => {
        if (link.hash === '#panel-' + state.at) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
    });
}

function goTo(id, behavior) {
    const section = document.getElementById('panel-' + id);
    if (section) section.scrollIntoView({ behavior, block: 'start' });
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
    closed.forEach(details => (details.open = true));
    darkRule.media.mediaText = CONDITIONS.light;
    panels.forEach(drawPanel);
}

function afterPrint() {
    closed.forEach(details => (details.open = false));
    darkRule.media.mediaText = CONDITIONS[theme];
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
            setTimeout(() => (copy.textContent = 'Copy'), 2000);
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
    document.querySelectorAll('.panel').forEach(section =>
        section.querySelectorAll('details.data').forEach((details, n) => {
            if (details.querySelector('tbody')) tables.push(tableOf(details, n));
        })
    );
    document.querySelectorAll('.copy').forEach(addCopy);
    document.body.append(selection);
    if (WITH_D3) {
        document.querySelector('main').prepend(bar);
        document.body.append(tip, heard);
        makeBar();
        darkRule.media.mediaText = CONDITIONS[theme];
        panels = charts.map(panelOf).filter(Boolean);
    }
    if (location.hash === '#figures') {
        filterShown();
        return addFigures();
    }
    const at = state.at;
    listen();
    changed();
    if (at) requestAnimationFrame(() => goTo(at, 'instant'));
    document.documentElement.dataset.ready = WITH_D3 ? 'charts' : 'tables';
}

start();
