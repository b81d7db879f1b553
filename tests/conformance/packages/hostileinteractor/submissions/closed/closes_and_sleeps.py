# Closes both of its ends and sleeps: the interactor sees the end of the conversation.
import os
import time

os.write(1, b"double\n")
os.close(0)
os.close(1)
time.sleep(1000)
