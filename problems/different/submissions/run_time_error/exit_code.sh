#!/bin/bash
# Every answer is right, the exit code is not.
while read -r a b; do
    (( a > b )) && echo $(( a - b )) || echo $(( b - a ))
done
exit 3
