#!/bin/bash
read -r -a numbers
echo $((numbers[0] + numbers[1]))
