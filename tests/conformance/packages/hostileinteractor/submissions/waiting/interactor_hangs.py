# The interactor loops, the submission waits.
print("hang", flush=True)
input()
