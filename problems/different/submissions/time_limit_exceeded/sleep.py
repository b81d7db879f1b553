# Uses no processor time at all and never ends: only the wall clock can catch it.
import signal

while True:
    signal.pause()
