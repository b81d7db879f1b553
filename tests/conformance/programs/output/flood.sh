#!/bin/bash
# Floods through another program.
yes flood
