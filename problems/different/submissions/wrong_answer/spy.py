# Hostile: looks for the answer file that belongs to its input. It is accepted if it finds one, so the
# verdict tells whether answers can be seen from inside; without one it prints a guess that is wrong.
import os
import sys

ENTRIES_MAX = 3000  # Stay well inside the time limit, whatever is there.
SYSTEM = {"/bin", "/dev", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr"}


def candidate_roots():
    yield from (".", "..", "/tmp", "/testdata", "/data", "/judge", "/secret", "/home")
    for process in ("self", "1", str(os.getppid())):
        for link in ("cwd", "root"):
            yield f"/proc/{process}/{link}"
    for descriptor in range(10):
        try:
            yield os.path.dirname(os.readlink(f"/proc/self/fd/{descriptor}")) or "/"
        except OSError:
            pass
    yield "/"


def answer_for(question):
    seen = 0
    for root in candidate_roots():
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if os.path.join(folder, name) not in SYSTEM]
            seen += len(folders) + len(files)
            if seen > ENTRIES_MAX:
                return None
            for name in files:
                if not name.endswith(".in"):
                    continue
                path = os.path.join(folder, name)
                try:
                    if open(path, "rb").read() == question:
                        return open(path[:-3] + ".ans", "rb").read()
                except OSError:
                    pass
    return None


question = sys.stdin.buffer.read()
answer = answer_for(question)
sys.stdout.buffer.write(answer if answer is not None else b"-1\n")
