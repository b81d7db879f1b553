# The plainest program in Python 3.
import sys

words = sys.stdin.read().split()
print(sum(map(int, words[1 : 1 + int(words[0])])))
