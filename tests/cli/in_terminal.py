# SPDX-License-Identifier: BSD-3-Clause
"""Run a program on a terminal, and type.

usage: in_terminal.py ROWSxCOLUMNS STEPS PROGRAM [ARGUMENT ...]

STEPS is a list with blanks between:
  TEXT       wait until the screen shows TEXT (an underscore is a blank)
  type:KEYS  type KEYS
  size:RxC   resize the terminal
  kill:NAME  send the signal NAME
  remove:FILE  remove a file
Prints the steps that were not reached, whether the terminal is restored (its settings, the cursor,
wrapping and the main screen), and how the program ended.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

size, steps, program = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
PATIENCE_S = 120


def resize(terminal, text):
    rows, columns = (int(n) for n in text.split("x"))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


ready, go = os.pipe()
pid, terminal = pty.fork()
if pid == 0:
    os.read(ready, 1)
    os.execvp(program[0], program)
resize(terminal, size)
before = termios.tcgetattr(terminal)
os.write(go, b"x")
seen = b""
shown = 0  # of `seen`, before the last step
end = time.time() + PATIENCE_S


def read():
    """Read what comes within 50 ms. False: the program has closed the terminal."""
    global seen
    if not select.select([terminal], [], [], 0.05)[0]:
        return True
    try:
        data = os.read(terminal, 65536)
    except OSError:
        return False
    seen += data
    return bool(data)


for step in steps:
    word, _, rest = step.partition(":")
    if word == "type":
        shown = len(seen)
        os.write(terminal, rest.encode())
    elif word == "size":
        shown = len(seen)
        resize(terminal, rest)
    elif word == "kill":
        os.kill(pid, getattr(signal, "SIG" + rest))
    elif word == "remove":
        shown = len(seen)
        os.remove(rest)
    else:
        wanted = step.replace("_", " ").encode()
        while wanted not in seen[shown:] and time.time() < end and read():
            pass
        if wanted not in seen[shown:]:
            print("not seen:", step)
while time.time() < end and read():
    pass
os.kill(pid, signal.SIGKILL if time.time() >= end else 0)
status = os.waitpid(pid, 0)[1]
if termios.tcgetattr(terminal) != before:
    print("not restored: the settings")
for on, off in (b"\033[?1049h", b"\033[?1049l"), (b"\033[?25l", b"\033[?25h"), (b"\033[?7l", b"\033[?7h"):
    if seen.count(on) < 1 or seen.rfind(off) < seen.rfind(on):
        print("not restored:", off)
if os.WIFSIGNALED(status):
    print("killed by", signal.Signals(os.WTERMSIG(status)).name)
else:
    print("status", os.WEXITSTATUS(status))
