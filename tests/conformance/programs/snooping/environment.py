# The same from an interpreter, whose start script might add or keep something.
import os
import sys

bad = [
    f"{name}={value}"
    for name, value in os.environ.items()
    if name.startswith(("CARGO", "SSH_", "AWS_", "TAUTO", "KUBE", "LD_", "PG", "XDG_"))
    or any(word in value.lower() for word in ("tauto", "judge", "cargo", "/root", "/home/", "secret", "token"))
]
bad += [path for path in sys.path if "/root" in path or "/home" in path]
print("contained" if not bad else f"ESCAPED: {bad}")
