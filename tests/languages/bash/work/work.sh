#!/bin/bash
# The indices of an array are in ascending order.
while read -r a b; do seen[a + b]=1; done
printf '%s\n' "${!seen[@]}"
