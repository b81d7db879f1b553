#!/bin/sh
# First program of the guest. It starts in the initramfs, moves to a tmpfs, mounts what a sandbox
# expects of a machine, runs /command, and tells its exit code on the console.
export PATH=/bin:/usr/bin:/sbin:/usr/sbin HOME=/root

if [ ! -e /moved ]; then
    # pivot_root refuses to work from the initramfs itself, and sandboxes need pivot_root.
    mkdir /newroot
    mount -t tmpfs -o mode=755 root /newroot
    for entry in /*; do
        case $entry in
        /newroot) ;;
        *) cp -a "$entry" /newroot/ ;;
        esac
    done
    : >/newroot/moved
    exec switch_root /newroot /init
fi

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t tmpfs -o mode=755 run /run
mount -t cgroup2 cgroup /sys/fs/cgroup
# One write each: a kernel without one of them still gets the others.
for controller in cpu cpuset memory pids io; do
    echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control || echo "vm: no $controller controller"
done
ip link set lo up 2>/dev/null

echo "GUEST ready"
cd /root
/bin/sh /command </dev/null
code=$?
# The line must not hang on the end of a program's last, unfinished line.
echo
echo "RESULT rc=$code"
sync
poweroff -f
