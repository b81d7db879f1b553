# A regular expression that backtracks for ever on a short input.
import re

print(re.match(r"(a+)+$", "a" * 60 + "b"))
