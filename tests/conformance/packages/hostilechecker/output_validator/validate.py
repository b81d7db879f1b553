"""An output validator that does what the submission asks for: the first word of its output names a deed."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time

input_file, answer_file, feedback = sys.argv[1:4]
MEBIBYTE = b"x" * (1 << 20)


def message(text, name="judgemessage.txt"):
    with open(feedback + name, "a") as file:
        file.write(text + "\n")


def accept():
    message("accepted")
    sys.exit(42)


def reject():
    message("rejected")
    sys.exit(43)


def hang():
    """Loops for ever in a second thread; the first one ends, so that signals to it reach nobody."""
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
    ctypes.CDLL(None).syscall(ctypes.c_long(60 if os.uname().machine == "x86_64" else 93), 0)


def flood_feedback():
    number = 0
    while True:
        number += 1
        with open(f"{feedback}flood-{number}.txt", "wb") as file:
            for _ in range(8):
                file.write(MEBIBYTE)


def many_feedback_files():
    for number in range(1_000_000):
        open(f"{feedback}file-{number}", "w").close()


def memory():
    blocks = []
    while True:
        blocks.append(bytes(b"y" * (8 << 20)))


def fork_bomb():
    while True:
        try:
            os.fork()
        except OSError:
            pass


def leave_children():
    for _ in range(5):
        if os.fork() == 0:
            os.setsid()
            time.sleep(1000)
    accept()


def links():
    """What the judge reads back must be looked at as files of this directory, never followed or waited for."""
    os.symlink("/etc/passwd", feedback + "judgemessage.txt")
    os.symlink(os.path.abspath(answer_file), feedback + "teammessage.txt")
    os.symlink("/dev/zero", feedback + "judgeimage.png")
    os.mkfifo(feedback + "teamimage.png")
    os.symlink("..", feedback + "up")
    os.symlink("loop", feedback + "loop")
    sys.exit(42)


def fifo_as_message():
    os.mkfifo(feedback + "judgemessage.txt")
    sys.exit(42)


def directory_as_message():
    os.mkdir(feedback + "judgemessage.txt")
    sys.exit(42)


def strange_message():
    with open(feedback + "judgemessage.txt", "wb") as file:
        file.write(b"\x1b[2J\xff\xfe\x00<script>alert(1)</script>\r\n")
    sys.exit(42)


def snoop():
    """Accepts only if it finds nothing that it has no business with."""
    found = []

    def attempt(what, action):
        try:
            if action() is not False:
                found.append(what)
        except OSError:
            pass

    attempt("network", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
    attempt("loopback", lambda: socket.create_connection(("127.0.0.1", 80), timeout=0.2))
    attempt("passwords", lambda: open("/etc/shadow").close())
    attempt("writing the answer", lambda: open(answer_file, "a").close())
    attempt("writing the input", lambda: open(input_file, "a").close())
    attempt("removing the answer", lambda: os.unlink(answer_file))
    attempt("writing outside", lambda: open("/usr/intruder", "w").close())
    attempt("killing the first process", lambda: os.kill(1, signal.SIGSTOP) or False)
    attempt("root", lambda: os.setuid(0))
    for folder, inner, names in os.walk("/"):
        if folder == "/":
            inner[:] = [name for name in inner if name not in ("proc", "usr", "lib", "lib64", "bin", "sbin")]
        paths = {os.path.realpath(os.path.join(folder, name)) for name in names if name.endswith(".ans")}
        if paths - {os.path.realpath(answer_file)}:
            found.append(f"other answers: {sorted(paths)}")
    if any(name.startswith(("TAUTO", "CARGO", "SSH_", "AWS_")) for name in os.environ):
        found.append("the judge's environment")
    if found:
        message("ESCAPED: " + ", ".join(found))
        sys.exit(43)
    accept()


DEEDS = {
    "accept": accept,
    "reject": reject,
    "raise": lambda: 1 / 0,
    "exit-0": lambda: sys.exit(0),
    "exit-41": lambda: sys.exit(41),
    "exit-44": lambda: sys.exit(44),
    "segv": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "hang": hang,
    "sleep": lambda: time.sleep(1000),
    "wait-for-child": lambda: subprocess.run(["sleep", "1000"]),
    "flood-feedback": flood_feedback,
    "many-feedback-files": many_feedback_files,
    "memory": memory,
    "fork-bomb": fork_bomb,
    "leave-children": leave_children,
    "links": links,
    "fifo-as-message": fifo_as_message,
    "directory-as-message": directory_as_message,
    "strange-message": strange_message,
    "snoop": snoop,
}

# Reads one line only: whoever feeds the rest must not mind that nobody takes it.
DEEDS[sys.stdin.readline().split()[0]]()
