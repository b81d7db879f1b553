# Points in a problem that has none.
input(); print("points", flush=True)
