#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a tutorial as it stands, in the current folder, on a terminal of 100 columns.

usage: tutorial.py PAGE.md [LANGUAGE]         only the blocks in this language

  ```sh       the commands must succeed
  ```r        all blocks up to the next ```sh are one script for Rscript
  ```python   likewise for python3
  any block after a paragraph that ends in "Save as `NAME`:"   becomes that file
  ```text     elsewhere is a sample: the last commands must print the like of it
  ```console  lines after "$ " are commands, the others are a sample

A sample consists of tables with a blank line between them. The commands print the like of a table if
  * its first line occurs in their output, except for numbers and runs of blanks;
  * as many lines follow as in the sample, up to a blank line or the end of a command's output; after
    "..." in the sample any number may follow;
  * lines without digits, such as the names of columns, and settings ("key = value") are equal; the
    other lines have equal first words.
Only the lines that begin with "espalier:" are looked for in stderr, each by itself. Prints TAP."""
import fcntl
import os
import re
import struct
import subprocess
import sys
import tempfile
import termios
import tty

COLUMNS = 100
COMMANDS = {
    "sh": ["bash", "-euo", "pipefail", "-c"],
    "r": ["Rscript", "-e"],
    "python": [sys.executable, "-c"],
}
# Ends the output of a block.
BLANK_LINE = {"r": 'cat("\\n")\n', "python": "print()\n"}
n_steps = 0


def report(is_fine, name, output):
    global n_steps
    n_steps += 1
    print(f"{'ok' if is_fine else 'not ok'} {n_steps} - {name}")
    if not is_fine:
        for line in output[-20:]:
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


def run(language, text, where):
    """Run a script. Return the lines that it prints: stdout, a blank line, stderr."""
    master, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    tty.setraw(terminal)
    printed = b""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(COMMANDS[language] + [text], stdin=subprocess.DEVNULL, stdout=terminal, stderr=errors,
                                 env={**os.environ, "TERM": "dumb"})
        os.close(terminal)
        while True:
            try:
                part = os.read(master, 65536)
            except OSError: # Linux's end of file, when the last writer has gone
                part = b""
            if not part:
                break
            printed += part
        os.close(master)
        status = child.wait()
        errors.seek(0)
        printed += b"\n\n" + errors.read()
    lines = printed.decode(errors="replace").splitlines()
    report(status == 0, where, lines)
    return lines


def statements(text):
    """The commands of a shell script: the shortest runs of lines that can be parsed."""
    part = ""
    for line in text.splitlines(True):
        part += line
        if subprocess.run(["bash", "-n", "-c", part], stderr=subprocess.DEVNULL).returncode == 0:
            if part.strip() and not part.startswith("#"):
                yield part
            part = ""


def run_shell(text, number):
    """Run each command of a script. Return the lines that they print, with a blank line after each."""
    lines = []
    for command in statements(text):
        lines += run("sh", command, f"line {number}: {command.splitlines()[0]}") + [""]
    return lines


def shape(line):
    line = re.sub(r"[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", "0", line)
    return re.sub(r"(─)+", "─", " ".join(line.split()))


def agrees(sample, line):
    if " = " in sample:
        return sample.split() == line.split()
    if re.search("[0-9]", sample + line):
        return shape(sample).split(" ")[:1] == shape(line).split(" ")[:1]
    return shape(sample) == shape(line)


def tables(lines):
    table = []
    for line in [*lines, ""]:
        if line.strip():
            table.append(line)
        elif table:
            yield table
            table = []


def is_like(sample, lines):
    """Whether a table of the sample is like the first of these lines."""
    n = len(sample)
    if sample[-1] == "...":
        n -= 1
    elif len(lines) != n:
        return False
    return shape(sample[0]) == shape(lines[0]) and len(lines) >= n and all(map(agrees, sample[:n], lines))


def compare(text, printed, number):
    """Compare a sample with what the last commands printed."""
    for sample in tables(text.splitlines()):
        if sample[0].startswith("espalier:"):
            shapes = [shape(line) for line in printed]
            is_fine = all(shape(line) in shapes for line in sample)
        else:
            is_fine = any(is_like(sample, table[i:]) for table in tables(printed) for i in range(len(table)))
        report(is_fine, f"line {number}: sample: {sample[0]}", printed)


def run_console(text, number):
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, sample = part.partition("\n")
        compare(sample, run_shell(command, number), number)


def main(page, only=None):
    script, printed, samples = "", [], []
    for number, kind, text, before in [*blocks(page), (0, "end", "", "")]:
        saved = re.search(r"Save as `([^`]+)`:$", before)
        if only and kind not in (only, "end"):
            continue
        if script and kind not in (language, "text"):
            printed = run(language, script, f"line {start}: {language}")
            for sample in samples:
                compare(sample[0], printed, sample[1])
            script, samples = "", []
        if saved:
            with open(saved[1], "w", encoding="utf-8") as file:
                file.write(text)
        elif kind == "sh":
            printed = run_shell(text, number)
        elif kind == "console":
            run_console(text, number)
        elif kind in COMMANDS:
            start = start if script else number
            script, language = script + text + BLANK_LINE[kind], kind
        elif kind == "text" and script:
            samples.append((text, number))
        elif kind == "text":
            compare(text, printed, number)
    print(f"1..{n_steps}")


main(*sys.argv[1:])
