#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a tutorial as it stands, in the current folder.

usage: tutorial.py PAGE.md

  ```sh       the commands must succeed
  ```r        all blocks up to the next ```sh are one script for Rscript
  ```python   likewise for python3
  ```ini, ```text after a paragraph that ends in "Save as `NAME`:"   become that file
  ```text     elsewhere shows output: its first line must occur in what the last commands printed

Digits and runs of blanks are not compared: times and widths differ between machines. Prints TAP."""
import re
import subprocess
import sys

n_steps = 0


def report(is_fine, name, output=""):
    global n_steps
    n_steps += 1
    print(f"{'ok' if is_fine else 'not ok'} {n_steps} - {name}")
    if not is_fine:
        for line in output.splitlines()[-20:]:
            print(f"# {line}")


def blocks(page):
    """The fenced blocks of a page: number of the line, language, text, paragraph before it."""
    language, text, before = None, [], ""
    for number, line in enumerate(open(page, encoding="utf-8"), 1):
        if line.startswith("```"):
            if language is None:
                language, text, start = line[3:].strip(), [], number
            else:
                yield start, language, "".join(text), before
                language, before = None, ""
        elif language is not None:
            text.append(line)
        elif line.strip():
            before = line.strip()


def shape(line):
    return re.sub(r"[0-9]+", "0", " ".join(line.split()))


def run(name, command, text):
    done = subprocess.run(command + [text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    report(done.returncode == 0, name, done.stdout)
    return done.stdout


COMMANDS = {
    "sh": ["bash", "-euo", "pipefail", "-c"],
    "r": ["Rscript", "-e"],
    "python": [sys.executable, "-c"],
}


def main(page):
    script, where, language, output = "", "", None, ""
    for number, kind, text, before in [*blocks(page), (0, "end", "", "")]:
        saved = re.search(r"Save as `([^`]+)`:$", before)
        if script and kind != language:
            output = run(where, COMMANDS[language], script)
            script = ""
        if kind in COMMANDS:
            where = where if script else f"line {number}: {kind}"
            script, language = script + text, kind
            if kind == "sh":
                output = run(where, COMMANDS[kind], script)
                script = ""
        elif saved:
            with open(saved[1], "w", encoding="utf-8") as file:
                file.write(text)
        elif kind == "text":
            shapes = [shape(line) for line in output.splitlines()]
            report(shape(text.splitlines()[0]) in shapes, f"line {number}: output", output)
    print(f"1..{n_steps}")


main(sys.argv[1])
