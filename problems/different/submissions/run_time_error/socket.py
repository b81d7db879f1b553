# Hostile: sends its input away. Accepted if a packet leaves the machine, otherwise the error ends it.
# 192.0.2.1 belongs to nobody: the block is reserved for documentation.
import socket
import sys

question = sys.stdin.read()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
    channel.connect(("192.0.2.1", 9))
    channel.send(question.encode()[:512])
for line in question.splitlines():
    a, b = map(int, line.split())
    print(abs(a - b))
