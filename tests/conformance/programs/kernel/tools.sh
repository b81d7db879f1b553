#!/bin/bash
# The tools an attacker finds in /usr/bin: set-user-id programs, namespace tools, kernel log, mounting. Every
# one may run; none may succeed.
worked=""
try() {
    if command -v "$1" >/dev/null 2>&1 && "$@" </dev/null >/dev/null 2>&1; then
        worked="$worked [$*]"
    fi
}
try unshare -r true
try unshare -U true
try unshare -m true
try unshare --pid --fork true
try nsenter -t 1 -a true
try chroot / true
try mount -t tmpfs none /tmp
try mount --bind / /tmp
try umount /proc
try su -c true
try su root -c true
try sudo -n true
try passwd -d root
try newgrp root
try chsh -s /bin/sh
try newuidmap $$ 0 0 1
try dmesg
try sysctl -w kernel.panic=1
try chown root .
try chrt -f 1 true
try ionice -c 1 true
try taskset 0xff true
try renice -n -5 $$
try prlimit --nofile=100000 --pid $$
try hostname other
try date -s 2000-01-01
try ip link set lo up
try setcap cap_sys_admin+ep /box/work/x
try mknod device c 1 1
try kill -9 1
if [ "$(id -u)" = 0 ]; then worked="$worked [root]"; fi
# The signal may be accepted and thrown away; what counts is that we are still here.
worked=${worked/ \[kill -9 1\]/}
if [ -z "$worked" ]; then echo contained; else echo "ESCAPED:$worked"; fi
