#!/bin/bash
# Halves what is left.
read -r bound soundings
low=1 high=$bound
while true; do
    depth=$(( low + (high - low) / 2 ))
    echo "$depth"
    read -r answer || exit 1
    case $answer in
        touched) exit 0 ;;
        deeper) low=$(( depth + 1 )) ;;
        *) high=$(( depth - 1 )) ;;
    esac
done
