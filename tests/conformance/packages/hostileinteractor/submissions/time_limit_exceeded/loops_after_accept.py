# The interactor accepts at once, the submission never ends.
print("accept", flush=True)
while True:
    pass
