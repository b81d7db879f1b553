# Reads the first line, then sleeps for ever while the diver waits.
import signal

input()
while True:
    signal.pause()
