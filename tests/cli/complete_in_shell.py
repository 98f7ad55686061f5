# SPDX-License-Identifier: BSD-3-Clause
"""Type lines with tabs into an interactive shell, and print the words that the program gets.

usage: complete_in_shell.py FOLDER SHELL [ARGUMENT ...] <LINES

FOLDER/bin/espalier must be a program that appends a line to FOLDER/asked after it has answered
`__complete`, and otherwise appends its words as a line to FOLDER/called. <TAB> in a line of LINES
stands for the key. Prints FOLDER/called.
"""
import os
import pty
import select
import sys
import time

folder, shell = sys.argv[1], sys.argv[2:]
PATIENCE_S = 20


def lines_of(name):
    try:
        with open(os.path.join(folder, name)) as file:
            return len(file.readlines())
    except FileNotFoundError:
        return 0


pid, terminal = pty.fork()
if pid == 0:
    os.execvp(shell[0], shell)


def drain(seconds):
    """Read the output of the shell until it has been silent for this many seconds."""
    while select.select([terminal], [], [], seconds)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            return
        if b"\033[c" in data or b"\033[0c" in data:  # fish asks for the terminal's capabilities
            os.write(terminal, b"\033[?1;2c")


def wait_for(name, count):
    end = time.time() + PATIENCE_S
    while lines_of(name) < count and time.time() < end:
        drain(0.02)


drain(1)
os.write(terminal, b"espalier ready\n")
wait_for("called", 1)
for line in sys.stdin:
    called = lines_of("called")
    parts = line.rstrip("\n").split("<TAB>")
    for i, part in enumerate(parts):
        os.write(terminal, part.encode())
        if i + 1 < len(parts):
            asked = lines_of("asked")
            os.write(terminal, b"\t")
            wait_for("asked", asked + 1)
            drain(0.15)
    os.write(terminal, b"\n")
    wait_for("called", called + 1)
os.write(terminal, b"exit\n")
drain(0.2)
os.close(terminal)
with open(os.path.join(folder, "called")) as called:
    sys.stdout.write(called.read())
