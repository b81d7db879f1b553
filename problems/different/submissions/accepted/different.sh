#!/bin/bash
while read -r a b; do
    if (( a > b )); then
        echo $(( a - b ))
    else
        echo $(( b - a ))
    fi
done
