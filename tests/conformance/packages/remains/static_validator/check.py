# Opens whatever is there, and looks whether each source is the file that was handed in.
import sys
from pathlib import Path

for path in Path(".").rglob("*"):
    if path.is_symlink():
        sys.exit(f"{path} is a link")
    if path.is_file():
        with path.open("rb") as file:
            file.read(1)
sources = [path for path in Path(".").rglob("*.p[lm]")] + [path for path in Path(".").rglob("*.c")]
for source in sources:
    if not source.is_file() or "as handed in" not in source.read_text():
        sys.exit(43)
sys.exit(42 if sources else 43)
