import sys

lines = sys.stdin.read().split("\n")
sys.exit(42 if len(lines) == 2 and lines[0].lstrip("-").isdigit() and lines[1] == "" else 43)
