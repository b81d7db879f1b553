import sys

from reading import number

asked = number(open(sys.argv[1]).read())
said = number(sys.stdin.read())
if len(sys.argv) > 4 and sys.argv[4] != "{{distance}}":
    sys.exit(1)
sys.exit(42 if said is not None and abs(said - asked) == {{distance}} else 43)
