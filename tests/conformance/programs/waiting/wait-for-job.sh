#!/bin/bash
# Waits for a background job that never ends.
sleep 1000 &
wait
