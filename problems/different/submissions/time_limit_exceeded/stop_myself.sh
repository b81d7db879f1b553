#!/bin/bash
# Hostile: stops itself, so that it neither runs nor ends.
while true; do
    kill -STOP $$
done
