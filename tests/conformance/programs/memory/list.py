# A list that grows for ever, four megabytes at a time.
blocks = []
while True:
    blocks.append(b"x" * (4 << 20))
