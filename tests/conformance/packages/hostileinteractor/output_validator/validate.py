"""An interactor that does what the submission asks for in its first line."""

import ctypes
import os
import signal
import sys
import threading


def fail(text):
    with open(sys.argv[3] + "judgemessage.txt", "a") as file:
        file.write(text + "\n")
    sys.exit(43)


def say(text):
    try:
        os.write(1, (text + "\n").encode())
    except BrokenPipeError:
        fail("the submission no longer listens")


def double(rounds):
    for number in range(1, rounds + 1):
        say(str(number))
        line = sys.stdin.readline()
        if line.strip() != str(2 * number):
            fail(f"expected {2 * number}, got {line!r}")
    say("0")
    if sys.stdin.read().strip() != "":
        fail("more output than asked for")
    sys.exit(42)


def read_all():
    while sys.stdin.buffer.read(1 << 16):
        pass
    sys.exit(43)


def hang():
    """Loops for ever in a second thread; the first one ends, so that signals to it reach nobody."""
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
    ctypes.CDLL(None).syscall(ctypes.c_long(60 if os.uname().machine == "x86_64" else 93), 0)


def flood():
    while True:
        say("x" * 1000)


DEEDS = {
    "double": lambda: double(3),
    "many-rounds": lambda: double(2000),
    "crash": lambda: sys.exit(1),
    "exit-0": lambda: sys.exit(0),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "accept": lambda: sys.exit(42),
    "reject": lambda: sys.exit(43),
    "read": read_all,
    "hang": hang,
    "flood": flood,
}

first = sys.stdin.buffer.readline().decode(errors="replace").strip()
if first not in DEEDS:
    fail(f"unknown request {first!r}")
DEEDS[first]()
