// SPDX-License-Identifier: BSD-3-Clause
//
// Tables: order, CSV, and rows that select configurations.

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
    const columns = [
        ['config', C.id],
        ['place', C.place],
        ...AXES.map((axis, a) => [axis.name, C.level[a].map(k => (k < 0 ? '' : axis.levels[k]))]),
        ['type', C.type.map(t => D.types[t])],
        ['trials', C.n],
        ['mean', C.mean],
        ['sd', C.sd],
        ['se', C.se],
        ['difference', C.diff],
        ['low', C.low],
        ['high', C.high],
        ['within_se', C.within],
        ['seconds', C.seconds],
        ['flops', C.flops],
        ['epochs', C.epochs],
        ...D.value.map((row, s) => [slotName(s), row])
    ];
    const rows = C.id.map((id, i) => columns.map(([, values]) => values[i]));
    return [columns.map(([head]) => head), ...rows];
}

// A frame in which a table scrolls.
function tableFrame(label, ...children) {
    const attributes = { class: 'table', tabindex: '0', role: 'region', 'aria-label': label };
    return el('div', attributes, ...children);
}

function tableOf(details, n) {
    const node = details.querySelector('table');
    const id = details.closest('.panel').id.replace('panel-', '');
    const table = {
        id: id + (n ? n + 1 : ''),
        node,
        heads: [...node.tHead.rows[0].cells],
        body: node.tBodies[0],
        rows: [...node.tBodies[0].rows]
    };
    const textsOf = row => [...row.cells].map(cellText);
    const save = () => saveCsv(table.id, [node.tHead.rows[0], ...table.body.rows].map(textsOf));
    const saveAll = () => saveCsv('configurations', allConfigurations());
    const tools = el('p', { class: 'tools' }, button('CSV', 'Save this table as CSV', save));
    if (id === 'forest')
        tools.append(
            ' ',
            button('CSV of all configurations', 'Save all configurations as CSV', saveAll)
        );
    const frame = tableFrame('Table');
    node.before(frame);
    frame.append(tools, node);
    table.heads.forEach((cell, column) => sortable(table, cell, column));
    table.rows.forEach(pickable);
    return table;
}

function sortable(table, cell, column) {
    const click = () => {
        state.sort[table.id] = column + (state.sort[table.id] === column + '+' ? '-' : '+');
        changed();
    };
    const label = cell.textContent;
    cell.replaceChildren(el('button', { type: 'button', on: { click } }));
    setHead(table, column, label);
}

function setHead(table, column, label) {
    const sort = table.heads[column].querySelector('button');
    sort.textContent = label;
    sort.title = 'Sort by ' + label;
}

// A number as the tables of the page show it.
function tableNumber(v) {
    return String(Number(v.toPrecision(4)));
}

function pickable(row) {
    const id = Number(row.dataset.config);
    if (!row.dataset.config || !indexOf.has(id)) return;
    const cell = row.cells[0];
    const click = () => toggle(id);
    cell.replaceChildren(el('button', { type: 'button', on: { click } }, cell.textContent));
}

function numberOf(string) {
    const match = string
        .replace(/\u2212/g, '-')
        .replace(/[\u00a0\u202f,](?=\d{3})/g, '')
        .match(/^c?(-?\d*\.?\d+(?:e[-+]?\d+)?)/i);
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
    const wish = state.sort[table.id] || '';
    if (table.sorted === wish) return;
    table.sorted = wish;
    const match = /^(\d+)([+-])$/.exec(wish);
    const column = match ? Number(match[1]) : Infinity;
    const sign = match && match[2] === '-' ? -1 : 1;
    table.heads.forEach((cell, n) => {
        if (n === column) cell.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
        else cell.removeAttribute('aria-sort');
    });
    const rows = table.rows.slice();
    const textOf = row => cellText(row.cells[column]);
    if (column < table.heads.length)
        rows.sort((p, q) => compareCells(textOf(p), textOf(q), sign));
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
