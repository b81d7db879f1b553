# Called as: language, entry point, feedback folder, forbidden word. The submission is all there is here.
import ctypes
import os
import sys
import threading
from pathlib import Path


def hang():
    """Loops for ever in a second thread; the first one ends, so that signals to it reach nobody."""
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
    ctypes.CDLL(None).syscall(ctypes.c_long(60 if os.uname().machine == "x86_64" else 93), 0)


language, entry_point, feedback, forbidden = sys.argv[1:]
here = {str(path) for path in Path(".").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
source = Path(entry_point).read_text()
problems = [
    f"{what}: {found!r}"
    for what, found, right in [
        ("files", here, here in ({entry_point}, {entry_point, "program.bin"})),
        ("language", language, language in ("python3", "c")),
        ("binary", here, ("program.bin" in here) == (language == "c")),
        ("writable", os.getcwd(), not os.access(".", os.W_OK)),
    ]
    if not right
]
if problems:
    sys.exit("; ".join(problems))
for order, does in {
    "order: crash": lambda: os.abort(),
    "order: accept as 0": lambda: sys.exit(0),
    "order: both": lambda: [Path(feedback, name).write_text("1") for name in ("score.txt", "score_multiplier.txt")],
    "order: half": lambda: Path(feedback, "score_multiplier.txt").write_text("0.5"),
    "order: too many": lambda: Path(feedback, "score.txt").write_text("41"),
    "order: hang": hang,
}.items():
    if order in source:
        does()
if forbidden in source:
    Path(feedback, "judgemessage.txt").write_text(f"{entry_point} holds the word {forbidden}\n")
    sys.exit(43)
sys.exit(42)
