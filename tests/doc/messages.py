#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the messages in src/ with doc/manual/reference/messages*.

usage: messages.py SRCDIR           every message is explained, every explained one exists
       messages.py SRCDIR --list [FOLDER ...]    the messages, one a line: "file: message"

A message is the format of a call to a function that is declared with __attribute__((format(printf, ...))),
except those in NOT_MESSAGES, or a text that begins with "espalier: ". The manual shows it as code at the start of a line, with "..." for what varies,
and "(s)" for a %s behind a letter:

    `column "..." = "...": must be a number`
    : What it means, and what to do.
"""
import pathlib
import re
import sys

# They append to texts that are no messages, such as pages, or print answers.
NOT_MESSAGES = {"buf_printf", "cli_printf", "explain", "html_element", "html_printf", "plot_notef"}

DECLARED = re.compile(r"(\w+)\s*\(([^;{}]*?)\)\s*__attribute__\(\(format\(printf,\s*(\d+)")
CONVERSION = re.compile(r"%[-+ #0]*(\*|\d+)?(\.(\*|\d+))?(hh|h|ll|l|z|j|t)?[a-zA-Z]")
# Text in quotes, a character, or a comment.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|/\*.*?\*/|//[^\n]*', re.S)


def without_comments(text):
    def keep(match):
        token = match[0]
        return " " if token.startswith("/") else "'c'" if token.startswith("'") else token

    return TOKEN.sub(keep, text)


def arguments(text, start):
    """The arguments of the call whose opening parenthesis ends at start."""
    depth, result, at = 1, [""], start
    while at < len(text):
        token = TOKEN.match(text, at)
        if token:
            result[-1] += token[0]
            at = token.end()
            continue
        c = text[at]
        depth += (c in "([{") - (c in ")]}")
        if not depth:
            return result
        if c == "," and depth == 1:
            result.append("")
        else:
            result[-1] += c
        at += 1
    return []


def shown(format_text):
    """A format as the manual shows it."""
    text = re.sub(r"(?<=[a-z])%s", "(s)", format_text.replace("%%", "\0"))
    text = re.sub(r"(\.\.\.)+", "...", CONVERSION.sub("...", text)).replace("\0", "%")
    text = text.encode("latin-1", "backslashreplace").decode("unicode_escape")
    return " ".join(text.split())


PREFIXED = re.compile(r"__attribute__\(\(format\(printf,\s*(\d+),\s*\d+\)\)\)\s+(?:static\s+)?[\w\s\*]*?(\w+)\s*\(")
MACRO = re.compile(r"^#define (\w+)\(([^)]*), \.\.\.\)\s*(?:\\\n)?\s*(\w+)\(", re.M)
TEXT_MACRO = re.compile(r"^#define (\w+)\s+((?:\s*(?:\\\n)?\s*\"(?:[^\"\\\n]|\\.)*\")+)", re.M)

# Texts that are written to stderr without a function of messages.
WHOLE = re.compile(r'"espalier: (?:[^"\\\n]|\\.)*"(?:\s*(?:"(?:[^"\\\n]|\\.)*"|[A-Z]\w*))*')

TEXT_OR_NAME = re.compile(TOKEN.pattern + r"|\b[A-Z]\w*\b", re.S)


def alternatives(text):
    """The texts of "condition ? text : text", with other expressions in the list as well."""
    result, at = [""], 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token:
            result[-1] += token[0]
            at = token.end()
            continue
        if text[at] in "?:":
            result.append("")
        else:
            result[-1] += text[at]
        at += 1
    return result


def functions_of(text):
    """Functions and macros that a file declares, with the place of their format."""
    code = re.sub(r"^#(?:.*\\\n)*.*", "", text, flags=re.M)
    result = {m[1]: int(m[3]) for m in DECLARED.finditer(code)}
    result.update({m[2]: int(m[1]) for m in PREFIXED.finditer(code)})
    for macro in MACRO.finditer(text):
        result[macro[1]] = macro[2].count(",") + 2
    return result


def messages_of(root, folders):
    sources = sorted(root.glob("src/**/*.[ch]"))
    texts = {path: without_comments(path.read_text(encoding="utf-8")) for path in sources}
    functions = {"err_set": 2, "err_wrap": 2}
    named = {}
    for path, text in texts.items():
        named.update({m[1]: m[2] for m in TEXT_MACRO.finditer(text)})
        named.update({m[1]: m[2] for m in re.finditer(r"^#define ([A-Z]\w*) ([A-Z]\w*)$", text, re.M)})
        if path.suffix == ".h":
            functions.update(functions_of(text))
    for path, text in texts.items():
        file = str(path.relative_to(root))
        if path.suffix != ".c" or (folders and not any(file.startswith(f) for f in folders)):
            continue
        for match in WHOLE.finditer(text):
            part = TEXT_OR_NAME.sub(lambda m: named.get(m[0], m[0]), match[0])
            found = "".join(t[1:-1] for t in TOKEN.findall(part)).removeprefix("espalier: ")
            if " " in found:
                yield file, shown(found.removesuffix("\\n"))
        here = {**functions, **functions_of(text)}
        call = re.compile(r"\b(" + "|".join(sorted(here.keys() - NOT_MESSAGES)) + r")\s*\(")
        for match in call.finditer(text):
            given = arguments(text, match.end())
            place = here[match[1]] - 1
            # Two texts of one argument are those of "condition ? text : text".
            for part in alternatives(given[place]) if place < len(given) else []:
                part = TEXT_OR_NAME.sub(lambda m: named.get(named.get(m[0]), named.get(m[0], m[0])), part)
                found = "".join(t[1:-1] for t in TOKEN.findall(part) if t.startswith('"'))
                if re.search("[a-z]{3}", CONVERSION.sub("", found)):
                    yield file, shown(found)


def explained_in(root):
    for page in sorted(root.glob("doc/manual/reference/messages*")) + sorted(
        root.glob("doc/manual/reference/messages/*.md")
    ):
        if page.is_file():
            for match in re.finditer(r"^(?:\* )?`` ?(.+?) ?``(?: \(.*\))?$|^(?:\* )?`([^`]+)`(?: \(.*\))?$", page.read_text(encoding="utf-8"), re.M):
                yield match[1] or match[2]


def main(root, *rest):
    found = dict.fromkeys(messages_of(root, rest[1:] if rest else ()))
    if rest:
        for file, text in found:
            print(f"{file}: {text}")
        return
    explained = set(explained_in(root))
    exist = {text for _, text in found}
    for file, text in found:
        if text not in explained:
            print(f"not explained: {file}: {text}")
    for text in sorted(explained - exist):
        print(f"no such message: {text}")


main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
