#!/bin/bash
# The shell's own network files, and tools that might be installed.
worked=""
for address in /dev/tcp/127.0.0.1/22 /dev/tcp/127.0.0.1/80 /dev/udp/127.0.0.1/53 /dev/tcp/198.51.100.1/80; do
    if (exec 3<>"$address") 2>/dev/null; then worked="$worked $address"; fi
done
for tool in "ip link set lo up" "ping -c 1 -W 1 127.0.0.1" "curl -s -m 1 http://127.0.0.1"; do
    if $tool >/dev/null 2>&1; then worked="$worked $tool;"; fi
done
if [ -z "$worked" ]; then echo contained; else echo "ESCAPED:$worked"; fi
