# Names and addresses, in the way a script would try them.
import socket
import urllib.request

worked = []


def attempt(what, action):
    try:
        action()
        worked.append(what)
    except OSError:
        pass


attempt("TCP to loopback", lambda: socket.create_connection(("127.0.0.1", 80), timeout=0.3))
attempt("TCP outside", lambda: socket.create_connection(("198.51.100.1", 443), timeout=0.3))
attempt("TCP outside, version 6", lambda: socket.create_connection(("2001:db8::1", 443), timeout=0.3))
attempt("UDP", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 53)))
attempt("listening", lambda: socket.create_server(("127.0.0.1", 8080)))
attempt("a name", lambda: socket.getaddrinfo("example.org", 80))
attempt("metadata service", lambda: urllib.request.urlopen("http://169.254.169.254/", timeout=0.3))
print("contained" if not worked else f"ESCAPED: {worked}")
