# Bytes that are no text.
import sys

sys.stdout.buffer.write(bytes(range(1, 256)) + b"\n")
