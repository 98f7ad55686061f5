# SPDX-License-Identifier: BSD-3-Clause
"""Report pages in a real browser. usage: report.py FOLDER [SELECTION]

FOLDER holds pages NAME.html, which report.sh has made. Prints TAP. SELECTION runs only tests whose names
contain it."""

import csv
import io
import json
import os
import re
import sys
import traceback
import xml.dom.minidom

from page import Page

folder = os.path.abspath(sys.argv[1])
wanted = sys.argv[2] if len(sys.argv) > 2 else ""
page = Page(folder)
count = 0


def panel_names(name="demo"):
    """Names of the panels, from the links to them."""
    return re.findall('href="#panel-([a-z]+)"', open(page_file(name), encoding="utf-8").read())


def page_file(name):
    return os.path.join(folder, name + ".html")


def test(function):
    """Run a test now; report it in TAP with its first docstring line as the name."""
    global count
    name = function.__doc__.splitlines()[0].rstrip(".")
    if wanted not in name:
        return
    count += 1
    try:
        page.emulate()
        function()
        equal(page.js(NONSENSE + "return nonsense(document.documentElement)")[:5], [])
        said = page.console()
        assert not said, "console: %s" % said[:3]
        print("ok %d - %s" % (count, name), flush=True)
    except Exception:
        print("not ok %d - %s" % (count, name))
        lines = [line for line in traceback.format_exc().splitlines() if not line.startswith("#")]
        print("".join("# %s\n" % line for line in lines[-8:]), end="", flush=True)


def equal(got, expected):
    assert got == expected, "got %r, wanted %r" % (got, expected)


def data():
    """What the page gives its script."""
    return page.js("return JSON.parse(document.getElementById('espalier-data').textContent)")


def address():
    return page.js("return location.hash")


def selected():
    """Names of the configurations in the bar."""
    return page.js("return [...document.querySelectorAll('.selection .chip strong')].map(n => n.textContent)")


# Texts of charts that reach beyond their figure, or that overlap another text of it.
MISPLACED = """
const wrong = [];
document.querySelectorAll('.chart svg').forEach(svg => {
    const frame = svg.getBoundingClientRect();
    const id = svg.closest('.panel').id;
    const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    boxes.forEach(([text, b], i) => {
        if (!text) return;
        if (b.left < frame.left - 2 || b.right > frame.right + 2 || b.top < frame.top - 2 || b.bottom > frame.bottom + 2)
            wrong.push(id + ': beyond the edge: ' + text);
        for (const [other, c] of boxes.slice(i + 1, i + 60)) {
            const w = Math.min(b.right, c.right) - Math.max(b.left, c.left);
            const h = Math.min(b.bottom, c.bottom) - Math.max(b.top, c.top);
            if (other && w > 2 && h > 4) wrong.push(id + ': overlap: ' + text + ' | ' + other);
        }
    });
});
return wrong;
"""

# The panels in order with the number of shapes that each draws.
DRAWN = """
return [...document.querySelectorAll('.panel')].map(panel =>
    [panel.id.replace('panel-', ''), panel.querySelectorAll('.chart svg path, .chart svg rect, .chart svg circle').length]);
"""

# Texts that a reader sees or hears and that no page means: a value that the script lacks or cannot print.
NONSENSE = """
const nonsense = root => {
    const texts = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode())
        if (!walker.currentNode.parentNode.closest('script, style')) texts.push(walker.currentNode.data);
    root.querySelectorAll('*').forEach(node => ['title', 'aria-label', 'alt', 'value', 'placeholder']
        .forEach(name => node.hasAttribute(name) && texts.push(node.getAttribute(name))));
    return texts.filter(text => /NaN|undefined|null|Infinity|\\[object/.test(text));
};
"""

# The same for the k-th choice of every select at once, and for the tooltips of the first and last marks.
NONSENSE_CHOICES = NONSENSE + """
const done = arguments[arguments.length - 1];
const wrong = new Set();
const drawn = () => new Promise(next => {
    const wait = () => document.documentElement.dataset.drawn === 'all' ? next() : requestAnimationFrame(wait);
    wait();
});
const check = panel => {
    nonsense(panel).forEach(text => wrong.add(panel.id + ': ' + text));
    const chart = panel.querySelector('.chart');
    ['Home', ...Array(5).fill('ArrowRight'), 'End', ...Array(5).fill('ArrowLeft'), 'Escape'].forEach(key => {
        if (!chart) return;
        chart.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
        nonsense(document.querySelector('.tip')).forEach(text => wrong.add(panel.id + ', tip: ' + text));
    });
};
(async () => {
    for (let k = 0; k < 4; k++) {
        document.querySelectorAll('.panel select').forEach(select => {
            select.value = select.options[Math.min(k, select.options.length - 1)].value;
            select.dispatchEvent(new Event('change', {bubbles: true}));
        });
        await drawn();
        document.querySelectorAll('.panel').forEach(check);
    }
    done([...wrong]);
})();
"""


def check_panels(name, charts):
    """Every panel is there in order; those in `charts` have a drawing, the others say why not."""
    page.open(page_file(name))
    drawn = dict(page.js(DRAWN))
    equal(list(drawn), panel_names(name))
    for panel in charts:
        assert drawn[panel], "panel %s of %s is empty" % (panel, name)
    for panel in set(drawn) - set(charts):
        text = page.text("#panel-%s" % panel)
        assert len(text) > 20, "panel %s of %s says only %r" % (panel, name, text)
    equal(page.js("return performance.getEntriesByType('resource').map(e => e.name)"), [])
    for width in (1280, 400):
        page.emulate(width)
        page.settle()
        equal(page.js(MISPLACED)[:5], [])
        assert page.js("return document.documentElement.scrollWidth") <= width, "wider than %d" % width
    equal(page.driver.execute_async_script(NONSENSE_CHOICES)[:5], [])


ALWAYS = ["forest", "folds", "axis", "pair", "parallel", "run", "data"]
SWEEPS = {
    "demo": ALWAYS + ["curves", "cost", "predicted"],
    "chosen": ALWAYS + ["curves", "cost", "predicted", "test"],
    "regression": ALWAYS + ["curves", "cost", "predicted", "types"],
    "classes": ALWAYS + ["curves", "cost", "predicted"],
    "halving": ALWAYS + ["search", "curves", "cost", "predicted"],
    "race": ALWAYS + ["search", "curves", "cost", "predicted"],
    "empty": ["data"],
    "partial": ALWAYS + ["curves", "cost"],
    "failures": ALWAYS + ["curves", "cost", "predicted"],
    "program": ALWAYS[:-1] + ["curves", "cost", "test"],
    "large": ALWAYS + ["cost"],
    "hostile": ALWAYS + ["curves", "cost", "predicted"],
}

for sweep, with_charts in SWEEPS.items():
    if os.path.exists(page_file(sweep)):
        def panels(sweep=sweep, with_charts=with_charts):
            check_panels(sweep, with_charts)
        panels.__doc__ = "panels of the %s sweep" % sweep
        test(panels)
    else:
        count += 1
        print("ok %d - panels of the %s sweep # SKIP no data" % (count, sweep))


@test
def searched():
    """a stopped configuration is named in each chart of the search, and its curves end at its rung."""
    page.open(page_file("halving"))
    ids, place = data()["config"]["id"], data()["config"]["place"]
    stopped = [i for i, one in enumerate(place) if one is None][0]
    page.js("document.querySelector('#panel-search .chart').focus()")
    page.key("Home")
    assert page.text(".tip").startswith("step 2"), page.text(".tip")
    page.js("document.querySelectorAll('#panel-search details').forEach(n => (n.open = true))")
    page.click("#panel-search tr[data-config='%d'] button" % ids[stopped])
    equal(selected(), ["c%d" % ids[stopped]])
    for panel in ("search", "axis", "pair"):
        assert page.all("#panel-%s .chart .picked" % panel), "panel %s does not show the selection" % panel
    assert "c%d, stopped at rung" % ids[stopped] in page.text("#panel-curves figcaption")


@test
def large():
    """10,000 configurations are drawn with few elements, and all of them can be scrolled."""
    page.open(page_file("large"))
    elements = page.js("return document.querySelectorAll('.chart svg *').length")
    assert elements < 5000, elements
    page.choose("#panel-forest select[data-key=rows]", "all")
    height, rows = page.js("""const s = document.querySelector('#panel-forest .scroller');
        s.scrollTop = s.scrollHeight; s.dispatchEvent(new Event('scroll'));
        return [s.scrollHeight, s.querySelectorAll('text').length]""")
    assert height > 190000 and rows < 1500, (height, rows)


@test
def select_by_pointer():
    """a click selects a configuration in every panel."""
    page.open(page_file("demo"))
    box = page.js("""const s = document.querySelector('#panel-forest .scroller > svg');
        s.scrollIntoView({block: 'center'}); return s.getBoundingClientRect()""")
    page.settle()
    box = page.js("return document.querySelector('#panel-forest .scroller > svg').getBoundingClientRect()")
    page.move(box["x"] + 200, box["y"] + 30)
    tip = page.text(".tip")
    page.drag(box["x"] + 200, box["y"] + 30, box["x"] + 200, box["y"] + 30)
    second = data()["config"]["id"][1]
    equal(selected(), ["c%d" % second])
    assert tip.startswith("c%d, place 2" % second), tip
    assert "c=%d" % second in address(), address()
    for panel in ("folds", "axis", "pair", "parallel", "cost", "run"):
        assert page.all("#panel-%s .chart .picked" % panel), "panel %s does not show the selection" % panel
    assert page.all("#panel-forest .row-tint") and page.all("tr.picked")
    page.click(".selection button[aria-label^=Clear]")
    equal(selected(), [])
    assert not page.all(".chart .picked"), "the selection has not been cleared"


@test
def select_by_keyboard():
    """arrows and Enter select a configuration, and its name is announced."""
    page.open(page_file("demo"))
    ids = data()["config"]["id"]
    page.js("document.querySelector('#panel-forest .chart').focus()")
    page.key("ArrowDown", "ArrowDown", "ArrowDown", "Enter")
    equal(selected(), ["c%d" % ids[2]])
    heard = page.text(".heard")
    assert heard.startswith("c%d, place 3" % ids[2]) and heard.endswith("selected"), heard
    page.key("End", " ")
    assert len(selected()) == 2
    page.key("Home", "Escape")
    assert page.js("return document.querySelector('.tip').hidden"), "Escape leaves the tooltip"
    equal(page.js("return document.activeElement.className"), "chart")


@test
def every_control_by_keyboard():
    """Tab reaches every control, and the focus is visible."""
    page.open(page_file("demo"))
    page.js("document.querySelector('.filter').open = true; document.querySelector('details.data').open = true")
    expected = page.js("""return [...document.querySelectorAll('a[href], button, select, input, summary, [tabindex="0"]')]
        .filter(n => n.checkVisibility()).length""")
    reached = set()
    for _ in range(expected + 40):
        page.cdp("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
        page.cdp("Input.dispatchKeyEvent", type="keyUp", key="Tab", windowsVirtualKeyCode=9)
        at, outline, label = page.js("""const n = document.activeElement;
            const all = [...document.querySelectorAll('*')];
            return [all.indexOf(n), getComputedStyle(n).outlineStyle, n.tagName + '.' + n.className]""")
        if label.startswith("BODY") and reached:
            break
        assert outline != "none", "the focus cannot be seen on %s" % label
        reached.add(at)
    equal(page.js("return document.querySelectorAll('.chart:not([tabindex=\"0\"])').length"), 0)
    assert len(reached) >= expected, "reached %d of %d controls" % (len(reached), expected)


@test
def comparison():
    """two configurations stand beside each other with their differences to the chosen one."""
    page.open(page_file("demo"), "#c=2")
    assert not page.all(".selection table"), "one configuration alone has a table"
    sweep = data()
    config, best = sweep["config"], sweep["choice"]["chosen"]
    page.open(page_file("demo"), "#c=2,7")
    head = page.js("return [...document.querySelectorAll('.selection thead th')].map(n => n.textContent.trim())")
    equal(head, ["c%d (best)" % best, "c2 \u00d7", "c7 \u00d7"])
    page.press(".selection button[aria-label*=CSV]")
    rows = {row[1]: row[2:] for row in csv.reader(io.StringIO(page.saved("demo-comparison.csv").decode()))}
    at = [config["id"].index(id) for id in (best, 2, 7)]
    equal(rows["mean"], [str(config["mean"][i]) for i in at])
    equal(rows["epochs"], ["6"] * 3)
    equal(rows["fold 1"], [str(sweep["value"][1][i]) for i in at])
    for label, key in (("difference to c%d" % best, "diff"), ("95 % interval, low", "low"), ("95 % interval, high", "high")):
        for text, i in zip(rows[label][1:], at[1:]):
            assert abs(float(text) - config[key][i]) < 1e-5, (label, text, config[key][i])
    page.js("document.querySelector('.selection button[aria-label^=Hide]').focus()")
    page.key("Enter")
    assert not page.all(".selection table") and "selection.table=hidden" in address(), address()
    equal(selected(), ["c2", "c7"])
    page.click(".selection button[aria-label^=Show]")
    page.js("document.querySelector('.selection .chip button').focus()")
    page.key("Enter")
    equal(selected(), ["c7"])
    assert page.js("return document.querySelector('.selection').contains(document.activeElement)"), "the focus is lost"


@test
def filter_levels():
    """the filter hides configurations in every chart, and 'Show all' brings them back."""
    page.open(page_file("demo"))
    dots = "return document.querySelector('#panel-cost path.fill').getAttribute('d').split('M').length"
    before = page.js(dots)
    page.click(".filter fieldset input")
    shown = page.text(".filter .count")
    match = re.match(r"(\d+) of (\d+) configurations", shown)
    assert match and int(match[1]) < int(match[2]), shown
    assert page.js(dots) < before, (before, page.js(dots))
    assert "only." in address(), address()
    page.js("const r = document.querySelector('.filter input[type=range]'); r.value = 10; r.dispatchEvent(new Event('input'))")
    page.settle()
    assert "top=10" in address(), address()
    page.click(".filter .choices p button")
    equal(page.text(".filter .count").split()[0], "all")
    equal(page.js(dots), before)


@test
def brush():
    """dragging along an axis of the parallel coordinates keeps the values passed over."""
    page.open(page_file("demo"))
    page.js("document.querySelector('#panel-parallel .chart').scrollIntoView({block: 'center'})")
    page.settle()
    box = page.js("return document.querySelectorAll('#panel-parallel .brushable')[1].getBoundingClientRect()")
    x = box["x"] + box["width"] / 2
    page.drag(x, box["y"] + 2, x, box["y"] + box["height"] * 0.4)
    assert "only." in address(), address()
    assert page.all("#panel-parallel .brush"), "the brush is not shown"
    assert " of " in page.text(".filter .count")
    page.choose("#panel-parallel select", "25")
    assert "top=25" in address(), address()


@test
def sort_tables():
    """a table is sorted by each column, up and down, and numbers by size."""
    page.open(page_file("demo"))
    heads = page.js("return [...document.querySelectorAll('#panel-forest thead th')].map(n => n.textContent)")
    cells = """return [...document.querySelectorAll('#panel-forest tbody tr')].map(r => parseFloat(
        r.cells[arguments[0]].textContent.replace('\\u2212', '-'))).filter(v => !isNaN(v))"""
    for column in (heads.index("place"), heads.index("mean")):
        button = "#panel-forest thead th:nth-child(%d) button" % (column + 1)
        page.click(button)
        up = page.js(cells, column)
        equal(up, sorted(up))
        page.click(button)
        equal(page.js(cells, column), sorted(up, reverse=True))
        equal(page.js("return document.querySelector(arguments[0]).parentNode.getAttribute('aria-sort')", button), "descending")
        assert "sort.forest=%d-" % column in address(), address()


@test
def keep_state():
    """the address keeps selection, filter, options, order and place, also when it is shared."""
    page.open(page_file("demo"))
    ids = data()["config"]["id"]
    page.choose("#panel-cost select", "flops")
    page.choose("#panel-pair select[data-key=value]", "best")
    page.click("#panel-forest tbody tr:nth-child(4) button")
    page.click(".filter fieldset input")
    page.click("#panel-forest thead th:nth-child(2) button")
    page.click("nav a[href='#panel-cost']")
    page.wait("location.hash.includes('at=cost')")  # the page notes the panel after scrolling
    state = address()
    for part in ("c=%d" % ids[3], "only.", "cost.cost=flops", "pair.value=best", "sort.forest=1%2B", "at=cost"):
        assert part in state, "%s is not in %s" % (part, state)
    page.open(page_file("demo"), state)
    equal(selected(), ["c%d" % ids[3]])
    equal(page.js("return document.querySelector('#panel-cost select').value"), "flops")
    assert " of " in page.text(".filter .count")
    top = page.js("return document.getElementById('panel-cost').getBoundingClientRect().top")
    assert -50 < top < 300, "the panel lies at %d" % top
    equal(address(), state)


@test
def strange_address():
    """an address with unknown names and values is read without a message."""
    page.open(page_file("demo"), "#c=999999,x&top=-3&only.dropout=[&only.nothing=1&cost.cost=gold&sort.forest=77%2B&at=nowhere&__proto__=1")
    equal(selected(), [])
    equal(page.text(".filter .count").split()[0], "all")


@test
def other_curves():
    """where the choice has no learning curve, the chart says whose it shows."""
    if os.path.exists(page_file("regression")):
        page.open(page_file("regression"))
        assert "(ridge), has no learning curve: c" in page.text("#panel-curves figcaption")
        second = page.js("return document.querySelector('#panel-curves select option:last-child').value")
        page.choose("#panel-curves select", second)
        assert "no learning curve" not in page.text("#panel-curves figcaption")


@test
def pair_table():
    """the table of two axes has the pair of the chart, and follows its select."""
    page.open(page_file("demo"))
    heads = """return [...document.querySelectorAll('#panel-pair th')].slice(0, 2).map(n => n.textContent)"""
    chosen = """return ['x', 'y'].map(k => document.querySelector('#panel-pair select[data-key=' + k + ']')
        .selectedOptions[0].textContent)"""
    equal(page.js(heads), page.js(chosen))
    last = page.js("return document.querySelector('#panel-pair select[data-key=x] option:last-child').value")
    page.choose("#panel-pair select[data-key=x]", last)
    equal(page.js(heads), page.js(chosen))
    equal(page.js("return document.querySelectorAll('#panel-pair tbody tr').length"),
          page.js("return document.querySelectorAll('#panel-pair .cell').length"))


@test
def save_figures():
    """each figure is saved as an SVG that stands alone and as a PNG."""
    page.open(page_file("demo"), "#c=2")
    for panel in ("forest", "folds", "axis", "pair", "parallel", "curves", "cost", "predicted", "run", "data"):
        page.press("#panel-%s .tools button:first-child" % panel)
        svg = page.saved("demo-%s.svg" % panel)
        document = xml.dom.minidom.parseString(svg)
        assert len(document.getElementsByTagName("path")) + len(document.getElementsByTagName("rect")) > 3, panel
        assert b"class=" not in svg and b"var(" not in svg, "the SVG of %s refers to a style sheet" % panel
        page.press("#panel-%s .tools button:last-child" % panel)
        png = page.saved("demo-%s.png" % panel)
        equal(png[:8], b"\x89PNG\r\n\x1a\n")
        assert int.from_bytes(png[16:20], "big") > 1000 and len(png) > 3000, panel


@test
def save_tables():
    """tables are saved as CSV, and all configurations, which the page may not list."""
    page.open(page_file("demo"))
    ids = data()["config"]["id"]
    page.click("#panel-forest .table .tools button:last-child")
    rows = list(csv.reader(io.StringIO(page.saved("demo-configurations.csv").decode())))
    equal([row[0] for row in rows[1:]], [str(v) for v in ids])
    equal({len(row) for row in rows}, {len(rows[0])})
    page.click("#panel-forest .table .tools button")
    shown = list(csv.reader(io.StringIO(page.saved("demo-forest.csv").decode())))
    equal(len(shown), page.js("return document.querySelectorAll('#panel-forest tbody tr').length") + 1)


if os.path.exists(page_file("classes")):
    @test
    def predicted_classes():
        """charts of classes give the counts behind the calibration and agree with the table of metrics."""
        page.open(page_file("classes"))
        predictions = data()["predictions"]
        roc, calibration = page.js("""return [...document.querySelectorAll('#panel-predicted .chart svg')].slice(1)
            .map(svg => [...svg.querySelectorAll('text')].map(t => t.textContent))""")
        area = next(row["together"] for row in predictions["scores"] if row["metric"] == "roc_auc")
        assert any(text.endswith(", area %.3f" % area) for text in roc), (area, roc)
        assert "predictions in each tenth" in calibration
        counts = [int(text) for text in calibration[calibration.index("predictions in each tenth") - 10:] if text.isdigit()]
        equal(sum(counts), len(predictions["observed"]))
        for name, class_ in (("sensitivity", 1), ("specificity", 0)):
            inside = [p == o for o, p in zip(predictions["observed"], predictions["predicted"]) if o == class_]
            stored = next(row["together"] for row in predictions["scores"] if row["metric"] == name)
            assert abs(stored - sum(inside) / len(inside)) < 1e-5, name


# The ratio of WCAG 2.1 between two CSS colours of the page.
CONTRAST = """
const light = colour => {
    const c = d3.rgb(colour);
    const [r, g, b] = [c.r, c.g, c.b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const style = getComputedStyle(document.documentElement);
const value = name => style.getPropertyValue(name).trim();
return arguments[0].map(([a, b]) => {
    const [p, q] = [light(value(a)), light(value(b))];
    return [a, b, (Math.max(p, q) + 0.05) / (Math.min(p, q) + 0.05)];
});
"""


@test
def contrast():
    """text has a contrast of 4.5 and marks of 3, light and dark."""
    texts = [[a, b] for a in ("--ink", "--quiet", "--accent") for b in ("--paper", "--raised", "--tint")]
    texts.append(["--ink", "--warm"])
    marks = [["--c%d" % k, "--paper"] for k in range(5)]
    for scheme in ("light", "dark"):
        page.emulate(prefers_color_scheme=scheme)
        page.open(page_file("demo"))
        for a, b, ratio in page.js(CONTRAST, texts):
            assert ratio >= 4.5, "%s on %s: %.2f (%s)" % (a, b, ratio, scheme)
        for a, b, ratio in page.js(CONTRAST, marks):
            assert ratio >= 3, "%s on %s: %.2f (%s)" % (a, b, ratio, scheme)


@test
def themes():
    """colours follow the system and can be chosen; print is light; motion is reduced on request."""
    paper = "return getComputedStyle(document.body).backgroundColor"
    page.emulate(prefers_color_scheme="dark")
    page.open(page_file("demo"))
    dark = page.js(paper)
    equal(page.js("return getComputedStyle(document.documentElement).scrollBehavior"), "auto")
    page.choose(".theme select", "light")
    equal(page.js(paper), "rgb(255, 255, 255)")
    page.emulate(prefers_color_scheme="light")
    page.choose(".theme select", "dark")
    equal(page.js(paper), dark)
    page.choose(".theme select", "auto")
    equal(page.js(paper), "rgb(255, 255, 255)")


@test
def printing():
    """print opens all tables and closes them again."""
    page.open(page_file("demo"))
    page.js("window.opened = -1; window.addEventListener('beforeprint', () => { window.opened = "
            "document.querySelectorAll('details.data:not([open])').length; })")
    pdf = page.cdp("Page.printToPDF", printBackground=False)["data"]
    assert len(pdf) > 20000
    equal(page.js("return window.opened"), 0)
    equal(page.js("return document.querySelectorAll('details.data[open]').length"), 0)


@test
def without_script():
    """all panels are readable without a script."""
    page.emulate(prefers_color_scheme="dark")
    page.cdp("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.driver.get("file://" + page_file("demo"))
        for panel in panel_names():
            assert len(page.find("#panel-%s" % panel).text) > 20, panel
        equal(page.find("#panel-forest .controls").text, "")
        equal(page.find("#panel-forest figcaption").text, "")
    finally:
        page.cdp("Emulation.setScriptExecutionDisabled", value=False)


@test
def without_library():
    """without D3 tables can be sorted."""
    with open(page_file("demo"), encoding="utf-8") as file:
        text = file.read()
    scripts = re.findall(r"<script>.*?</script>", text, re.S)
    with open(page_file("plain"), "w", encoding="utf-8") as file:
        file.write(text.replace(scripts[0], ""))
    page.open(page_file("plain"))
    assert not page.all(".chart svg") and not page.all(".bar")
    page.click("#panel-forest thead th:nth-child(2) button")
    assert page.all("#panel-forest th[aria-sort]")
    page.js("[...document.querySelectorAll('#panel-forest tbody button')].slice(1, 3).forEach(n => n.click())")
    equal(len(page.all(".selection thead th")), 3)


@test
def names_are_text():
    """names from a hostile file are text on the page."""
    page.open(page_file("hostile"))
    name = data()["sweep"]["name"]
    assert "<" in name and name in page.text("h1"), (name, page.text("h1"))
    equal(len(page.all("script")), 3)
    page.js("document.querySelector('#panel-run .chart').focus()")
    page.key("Home")
    assert "<img" in page.text(".tip"), page.text(".tip")
    equal(page.js("return document.querySelectorAll('img, iframe, object, embed').length"), 0)


page.close()
print("1..%d" % count)
