# Looks for answers where the names of things might point: next to standard input, in the parents of the
# working directory, and through every descriptor and process that is visible.
import glob
import os

found = []
here = os.getcwd()
suspects = set()
for descriptor in os.listdir("/proc/self/fd"):
    try:
        suspects.add(os.path.dirname(os.readlink(f"/proc/self/fd/{descriptor}")))
    except OSError:
        pass
while here != "/":
    suspects.add(here)
    here = os.path.dirname(here)
suspects |= {f"/proc/{pid}/{place}" for pid in glob.glob("[0-9]*", root_dir="/proc") for place in ("root", "cwd")}
for suspect in suspects:
    if not suspect.startswith("/"):
        continue
    for name in ("*.ans", "*.in", "data/secret", "../*.ans", "../*/*.ans", "../../*/*.ans", "submissions"):
        try:
            found += glob.glob(os.path.join(suspect, name))
        except OSError:
            pass
print("contained" if not found else f"ESCAPED: {sorted(found)[:10]}")
