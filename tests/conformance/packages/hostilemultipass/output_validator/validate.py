"""A multi-pass validator whose first line of team output says what it is to do; counts passes by a file of its own."""

import os
import sys

input_file, answer_file, feedback = sys.argv[1:4]
next_pass = feedback + "nextpass.in"
counter = feedback + "passes"

if os.path.lexists(next_pass):
    sys.exit("the input of the pass before is still there")
number = 1 + (len(open(counter).read()) if os.path.exists(counter) else 0)
with open(counter, "a") as file:
    file.write("x")
request = sys.stdin.readline().split()
if len(request) != 2 or request[1] != str(number):
    sys.exit(43)


def go_on():
    with open(next_pass, "w") as file:
        file.write(f"{number + 1}\n")
    sys.exit(42)


deed = request[0]
if deed == "three" and number < 3:
    go_on()
if deed == "for-ever":
    go_on()
if deed == "next-and-reject":
    open(next_pass, "w").close()
    sys.exit(43)
if deed == "next-and-crash":
    open(next_pass, "w").close()
    sys.exit(1)
if deed == "reject-second":
    if number == 2:
        sys.exit(43)
    go_on()
if deed == "crash-second":
    if number == 2:
        sys.exit(1)
    go_on()
if deed == "link":
    os.symlink(os.path.abspath(answer_file), next_pass)
if deed == "endless-link":
    os.symlink("/dev/zero", next_pass)
if deed == "fifo":
    os.mkfifo(next_pass)
if deed == "huge":
    with open(next_pass, "wb") as file:
        for _ in range(64):
            file.write(b"x" * (1 << 20))
if deed == "large" and number == 1:
    with open(next_pass, "w") as file:
        file.write(f"{number + 1}\n" + " " * (3 << 20))
if deed == "submission" and number < 3:
    go_on()
sys.exit(42)
