# Each waits for the other's next line.
import time

print("double", flush=True)
input()
time.sleep(1000)
