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
    const head = ['config', 'place'].concat(
        AXES.map(axis => axis.name),
        [
            'type',
            'trials',
            'mean',
            'sd',
            'se',
            'difference',
            'low',
            'high',
            'within_se',
            'seconds',
            'flops',
            'epochs'
        ],
        D.slots.map((slot, s) => slotName(s))
    );
    return [head].concat(
        C.id.map((id, i) =>
            [id, C.place[i]].concat(
                AXES.map((axis, a) => (C.level[a][i] < 0 ? '' : axis.levels[C.level[a][i]])),
                [
                    D.types[C.type[i]],
                    C.n[i],
                    C.mean[i],
                    C.sd[i],
                    C.se[i],
                    C.diff[i],
                    C.low[i],
                    C.high[i],
                    C.within[i],
                    C.seconds[i],
                    C.flops[i],
                    C.epochs[i]
                ],
                D.value.map(row => row[i])
            )
        )
    );
}

function tableOf(details, n) {
    const node = details.querySelector('table');
    const section = details.closest('.panel');
    const id = section ? section.id.replace('panel-', '') : 'table';
    if (!node || !node.tHead) return null;
    const table = {
        id: id + (n ? n + 1 : ''),
        node,
        heads: [...node.tHead.rows[0].cells],
        body: node.tBodies[0]
    };
    table.rows = [...table.body.rows];
    const frame = el('div', {
        class: 'table',
        tabindex: '0',
        role: 'region',
        'aria-label': 'Table'
    });
    const tools = el(
        'p',
        { class: 'tools' },
        button('CSV', 'Save this table as CSV', () =>
            saveCsv(
                table.id,
                [table.heads.map(cellText)].concat(
                    [...table.body.rows].map(row => [...row.cells].map(cellText))
                )
            )
        )
    );
    if (id === 'forest')
        tools.append(
            ' ',
            button('CSV of all configurations', 'Save all configurations as CSV', () =>
                saveCsv('configurations', allConfigurations())
            )
        );
    node.before(frame);
    frame.append(tools, node);
    table.heads.forEach((cell, column) => sortable(table, cell, column));
    table.rows.forEach(row => pickable(row));
    return table;
}

function sortable(table, cell, column) {
    const label = cell.textContent;
    cell.replaceChildren(
        el(
            'button',
            {
                type: 'button',
                title: 'Sort by ' + label,
                on: {
                    click: () => {
                        state.sort[table.id] =
                            column + (state.sort[table.id] === column + '+' ? '-' : '+');
                        changed();
                    }
                }
            },
            label
        )
    );
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
    cell.replaceChildren(
        el(
            'button',
            { type: 'button', 'aria-pressed': 'false', on: { click: () => toggle(id) } },
            cell.textContent
        )
    );
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
    const match = /^(\d+)([+-])$/.exec(state.sort[table.id] || '');
    const column = match && Number(match[1]) < table.heads.length ? Number(match[1]) : null;
    if (table.sorted === (state.sort[table.id] || '')) return;
    table.sorted = state.sort[table.id] || '';
    table.heads.forEach((cell, n) => {
        if (n === column)
            cell.setAttribute('aria-sort', match[2] === '+' ? 'ascending' : 'descending');
        else cell.removeAttribute('aria-sort');
    });
    const rows = table.rows.slice();
    if (column !== null)
        rows.sort((p, q) =>
            compareCells(
                cellText(p.cells[column]),
                cellText(q.cells[column]),
                match[2] === '+' ? 1 : -1
            )
        );
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
