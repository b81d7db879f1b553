#!/bin/bash
# The plainest program in Bash.
read -r n
sum=0
for value in $(cat); do
    sum=$((sum + value))
done
echo "$sum"
