# Plays by the rules, and sends both ends of the conversation into a circle of sockets, where they stay open.
import array
import os
import socket


def send(over, descriptor):
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [descriptor]))
    try:
        over.sendmsg([b'x'], [rights])
    except OSError:
        pass


one, other = socket.socketpair()
send(one, one.fileno())
send(other, other.fileno())
send(one, 0)
send(one, 1)
# Their ends as objects would close them one after the other, and so would have the kernel look.
one.detach()
other.detach()
os.write(1, b'double\n')
buffer = b''
while True:
    while b'\n' not in buffer:
        buffer += os.read(0, 100)
    line, buffer = buffer.split(b'\n', 1)
    if int(line) == 0:
        break
    os.write(1, b'%d\n' % (2 * int(line)))
os._exit(0)
