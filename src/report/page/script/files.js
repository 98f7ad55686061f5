// SPDX-License-Identifier: BSD-3-Clause
//
// Figures as files that stand alone.

const STYLES = [
    'fill',
    'fill-opacity',
    'stroke',
    'stroke-width',
    'stroke-opacity',
    'stroke-dasharray',
    'stroke-linejoin',
    'paint-order',
    'font-family',
    'font-size',
    'font-weight'
];

function setAttributes(node, values) {
    Object.entries(values).forEach(([key, value]) => node.setAttribute(key, value));
}

// One SVG of all surfaces of a chart, with its styles written into the elements.
function standalone(panel) {
    const frame = panel.node.getBoundingClientRect();
    const [out, title, paper] = ['svg', 'title', 'rect'].map(tag =>
        document.createElementNS('http://www.w3.org/2000/svg', tag)
    );
    title.textContent = D.sweep.name + ': ' + panel.title;
    const fill = getComputedStyle(document.body).backgroundColor;
    setAttributes(paper, { width: '100%', height: '100%', fill });
    out.append(title, paper);
    let height = 1;
    panel.chart.surfaces.forEach(s => {
        const node = s.root.node();
        const window = visiblePart(node);
        const copy = node.cloneNode(true);
        inline(node, copy);
        setAttributes(copy, {
            x: window.left - frame.left,
            y: window.top - frame.top,
            width: window.width,
            height: window.height,
            viewBox: [0, window.top - window.whole, window.width, window.height].join(' ')
        });
        height = Math.max(height, window.top - frame.top + window.height);
        out.append(copy);
    });
    const size = { width: Math.ceil(frame.width), height: Math.ceil(height) };
    setAttributes(out, { ...size, viewBox: `0 0 ${size.width} ${size.height}` });
    return { text: new XMLSerializer().serializeToString(out), ...size };
}

// The box of an SVG as far as its scrolling parent shows it; whole: its own top.
function visiblePart(node) {
    const box = node.getBoundingClientRect();
    const frame = node.parentNode.classList.contains('scroller') ? node.parentNode : node;
    const scroller = frame.getBoundingClientRect();
    const top = Math.max(box.top, scroller.top);
    return {
        left: box.left,
        top,
        width: box.width,
        height: Math.min(box.bottom, scroller.bottom) - top,
        whole: box.top
    };
}

// Write the styles of an element and of those in it into a copy.
function inline(from, to) {
    if (from.matches('.focus, .brushable')) return to.remove();
    const style = getComputedStyle(from);
    STYLES.forEach(key => {
        const value = style.getPropertyValue(key);
        if (value && value !== 'normal') to.setAttribute(key, value);
    });
    to.removeAttribute('class');
    [...to.children].forEach((child, k) => inline(from.children[k], child));
}

// `espalier report --figures` opens the page at #figures in a browser without a window, and reads these
// elements. A browser does not run them, and an SVG contains no </script>.
function addFigures() {
    panels.forEach(drawPanel);
    panels
        .filter(panel => panel.chart.surfaces.length)
        .forEach(panel => {
            const attributes = { type: 'image/svg+xml', id: 'figure-' + panel.row.id };
            document.body.append(el('script', attributes, standalone(panel).text));
        });
}

function saveSvg(panel) {
    const blob = new Blob([standalone(panel).text], { type: 'image/svg+xml' });
    download(fileName(panel.row.id, 'svg'), blob);
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
