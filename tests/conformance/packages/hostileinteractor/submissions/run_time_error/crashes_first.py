# The submission crashes while the interactor waits for it: the crash is the cause.
print("double", flush=True)
input()
raise RuntimeError("no answer")
