#!/bin/bash
# The plain endless loop in Bash.
while :; do :; done
