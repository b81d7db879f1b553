# The interactor floods a submission that reads nothing: both are idle.
import time

print("flood", flush=True)
time.sleep(1000)
