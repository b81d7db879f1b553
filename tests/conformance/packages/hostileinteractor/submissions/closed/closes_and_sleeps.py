# Closes both of its ends and sleeps: it idles until its limit, and its silence is no answer.
import os
import time

os.write(1, b"double\n")
os.close(0)
os.close(1)
time.sleep(1000)
