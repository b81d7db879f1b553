# Waits for a harvest that never ends: no group is solved.
while True:
    pass
