#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the messages that doc/manual/reference/messages.md explains and src/ does not contain.

usage: messages.py SRCDIR

The manual shows the format of a message as code that fills a line, alone or in a list, with "..." for
each conversion and "(s)" for a %s behind a letter. A message is one string of C, perhaps of several parts.
"""
import pathlib
import re
import sys

CONVERSION = r"%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]"
STRING = r'"(?:[^"\\\n]|\\.)*"'
COMMENT_OR_CHAR = re.compile(rf"({STRING})|'(?:[^'\\]|\\.)+'|/\*.*?\*/|//[^\n]*", re.S)
# The macros of inttypes.h stand between strings.
WHOLE = re.compile(rf"{STRING}(?:\s*(?:{STRING}|PRI\w+))*")
EXPLAINED = re.compile(r"^(?:\* )?(?:`` ?(.+?) ?``|`([^`]+)`)(?: \(.*\))?$", re.M)


def shown(text):
    """A format as the manual shows it."""
    text = re.sub(r"(?<=[a-z])%s", "(s)", text.replace("%%", "\0"))
    text = re.sub(r"(\.\.\.)+", "...", re.sub(CONVERSION, "...", text)).replace("\0", "%")
    return " ".join(text.encode("latin-1", "backslashreplace").decode("unicode_escape").split())


def main(root):
    exist = set()
    for path in root.glob("src/**/*.[ch]"):
        text = COMMENT_OR_CHAR.sub(lambda m: m[1] or " ", path.read_text(encoding="utf-8"))
        for run in WHOLE.findall(text):
            whole = re.sub(r"PRI([a-z])\w+", r'"\1"', run)
            exist.add(shown("".join(part[1:-1] for part in re.findall(STRING, whole))).removeprefix("espalier: "))
    page = (root / "doc/manual/reference/messages.md").read_text(encoding="utf-8")
    for match in EXPLAINED.finditer(page):
        if (match[1] or match[2]) not in exist:
            print(f"no such message: {match[1] or match[2]}")


main(pathlib.Path(sys.argv[1]))
