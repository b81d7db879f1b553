#!/bin/sh
most=0
while read -r a b; do
    sum=$((a + b))
    eval "seen$sum=1"
    if [ $sum -gt $most ]; then most=$sum; fi
done
sum=0
while [ $sum -le $most ]; do
    eval "is=\${seen$sum:-}"
    if [ -n "$is" ]; then echo $sum; fi
    sum=$((sum + 1))
done
