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
        Object.entries({
            x: window.left - frame.left,
            y: window.top - frame.top,
            width: window.width,
            height: window.height,
            viewBox: [0, window.top - window.whole, window.width, window.height].join(' ')
        }).forEach(([key, value]) => copy.setAttribute(key, value));
        height = Math.max(height, window.top - frame.top + window.height);
        out.append(copy);
    });
    Object.entries({
        xmlns: 'http://www.w3.org/2000/svg',
        width: Math.ceil(frame.width),
        height: Math.ceil(height),
        viewBox: '0 0 ' + Math.ceil(frame.width) + ' ' + Math.ceil(height)
    }).forEach(([key, value]) => out.setAttribute(key, value));
    return {
        text: new XMLSerializer().serializeToString(out),
        width: Math.ceil(frame.width),
        height: Math.ceil(height)
    };
}

// The box of an SVG as far as its scrolling parent shows it; whole: its own top.
function visiblePart(node) {
    const box = node.getBoundingClientRect();
    const scroller = node.parentNode.classList.contains('scroller')
        ? node.parentNode.getBoundingClientRect()
        : box;
    const top = Math.max(box.top, scroller.top);
    return {
        left: box.left,
        top,
        width: box.width,
        height: Math.min(box.bottom, scroller.bottom) - top,
        whole: box.top
    };
}

function inline(from, to) {
    const style = getComputedStyle(from);
    STYLES.forEach(key => {
        const value = style.getPropertyValue(key);
        if (value && value !== 'normal') to.setAttribute(key, value);
    });
    to.removeAttribute('class');
    if (from.classList.contains('focus') || from.classList.contains('brushable'))
        to.setAttribute('class', from.getAttribute('class'));
    for (let k = 0; k < from.children.length; k++) inline(from.children[k], to.children[k]);
}

// `espalier report --figures` opens the page at #figures in a browser without a window, and reads these
// elements. A browser does not run them, and an SVG contains no </script>.
function addFigures() {
    panels.forEach(drawPanel);
    panels
        .filter(panel => panel.chart.surfaces.length)
        .forEach(panel =>
            document.body.append(
                el(
                    'script',
                    { type: 'image/svg+xml', id: 'figure-' + panel.row.id },
                    standalone(panel).text
                )
            )
        );
}

function saveSvg(panel) {
    download(
        fileName(panel.row.id, 'svg'),
        new Blob([standalone(panel).text], { type: 'image/svg+xml' })
    );
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
