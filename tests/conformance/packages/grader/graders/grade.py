"""Called as 'sum', or as 'half POINTS' for a group that is passed where at least half of its cases are.

A submission makes it misbehave by the verdicts that it earns in a group of three cases.
"""

import os
import sys

results = [line.split() for line in sys.stdin]
verdicts = [verdict for verdict, _ in results]
assert all(verdict in ("AC", "WA", "RTE", "TLE") for verdict in verdicts), verdicts

if sys.argv[1] == "sum":
    total = sum(float(score) for verdict, score in results if verdict == "AC")
    accepted = "AC" in verdicts
    print("AC" if accepted else verdicts[0], total if accepted else 0)
    sys.exit(0)

order = {
    ("RTE", "AC", "AC"): "exit",
    ("RTE", "RTE", "AC"): "words",
    ("RTE", "AC", "RTE"): "nothing",
    ("RTE", "WA", "AC"): "hang",
    ("RTE", "WA", "WA"): "crash",
    ("RTE", "AC", "WA"): "too many",
}.get(tuple(verdicts))
if order == "exit":
    print("AC 40")
    sys.exit("no grade today")
elif order == "words":
    print("AC forty")
elif order == "nothing":
    pass
elif order == "hang":
    while True:
        pass
elif order == "crash":
    os.abort()
elif order == "too many":
    print("AC 101")
elif 2 * verdicts.count("AC") >= len(verdicts):
    print("AC", sys.argv[2])
else:
    print(next(verdict for verdict in verdicts if verdict != "AC"), 0)
