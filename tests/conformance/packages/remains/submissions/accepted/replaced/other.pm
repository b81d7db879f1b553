# Also as handed in.
