#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Look into a page of `espalier report`.

usage: report_check.py PAGE              "sound", or what is wrong with structure, policy or data
       report_check.py PAGE json A.B     a value of the data for the script
       report_check.py PAGE text PANEL   the text of a panel, without its heading and figure
"""
import base64
import hashlib
import html.parser
import json
import re
import sys

VOID = {"meta", "br", "img", "hr", "input", "link"}
BLOCKS = {"p", "li", "tr", "h2", "h3", "pre", "blockquote", "section", "ul", "table"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.panels, self.links, self.embedded = [], [], [], [], []
        self.policy, self.data = "", ""
        self.texts = {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name, value in attributes.items():
            if name == "style" or name.startswith("on"):
                self.faults.append("attribute %s in <%s>" % (name, tag))
            if name in ("src", "href", "xlink:href") and not value.startswith("#"):
                self.faults.append("a link to " + value)
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag == "a" and attributes.get("href", "").startswith("#panel-"):
            self.links.append(attributes["href"].replace("#panel-", ""))
        if tag == "section":
            self.panels.append(attributes["id"].replace("panel-", ""))
            self.texts[self.panels[-1]] = []
        if tag not in VOID:
            self.open.append((tag, attributes))
        self.separate(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.faults.append("</%s> after %s" % (tag, self.open[-1:]))
        else:
            self.open.pop()
        self.separate(tag)

    def separate(self, tag):
        if self.panels and tag in BLOCKS:
            self.texts[self.panels[-1]].append("\n")
        elif self.panels and tag in ("td", "th"):
            self.texts[self.panels[-1]].append(" ")

    def handle_data(self, text):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script" and attributes.get("type") == "application/json":
            self.data += text
        elif tag in ("script", "style"):
            self.embedded.append((tag, text))
        elif self.panels and not any(name in ("svg", "h2", "figcaption", "summary") for name, _ in self.open):
            self.texts[self.panels[-1]].append(text)


def text_of(page, panel):
    lines = [re.sub(r"[ \t]+", " ", line).strip() for line in "".join(page.texts[panel]).split("\n")]
    return "\n".join(line for line in lines if line)


def faults_of(page, data):
    faults = list(page.faults)
    if page.open:
        faults.append("not closed: %s" % page.open)
    if page.panels != page.links or "verdict" not in page.panels:
        faults.append("panels: %s, links: %s" % (page.panels, page.links))
    for tag, text in page.embedded:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        if not re.search(tag + "-src[^;]*'sha256-" + re.escape(digest) + "'", page.policy):
            faults.append("the policy does not allow a <%s> of %d bytes" % (tag, len(text)))
    if not page.policy.startswith("default-src 'none';") or "unsafe" in page.policy:
        faults.append("the policy is weak: " + page.policy)
    n = len(data["config"]["id"])
    for name, values in data["config"].items():
        for one in values if name == "level" else [values]:
            if len(one) != n:
                faults.append("config.%s has %d values" % (name, len(one)))
    if [len(row) for row in data["value"]] != [n] * len(data["slots"]):
        faults.append("value is no table of slots and configurations")
    return faults


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    page.close()
    data = json.loads(page.data)
    if len(sys.argv) == 2:
        faults = faults_of(page, data)
        if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text):
            faults.append("a harmful character")
        print("\n".join(faults) or "sound")
    elif sys.argv[2] == "json":
        for name in sys.argv[3].split("."):
            data = data[int(name) if name.isdigit() else name]
        print(data)
    else:
        print(text_of(page, sys.argv[3]))


main()
