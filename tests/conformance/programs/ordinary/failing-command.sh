#!/bin/bash
# With -e the first failing command ends the script with its code.
set -e
echo right
false
echo never
