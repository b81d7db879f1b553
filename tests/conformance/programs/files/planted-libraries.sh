#!/bin/bash
# Plants what a careless judge might load or run after the program: preload files, start-up files, Python
# modules, a fake compiler in the working directory and at home.
for place in . /tmp "$HOME" /dev/shm; do
    for name in .bashrc .profile .gdbinit sitecustomize.py usercustomize.py os.py gcc cc sh diff cmp core \
        .python_history a.out program checker; do
        printf '#!/bin/sh\necho ESCAPED: %s was run\n' "$name" >"$place/$name" 2>/dev/null
        chmod +x "$place/$name" 2>/dev/null
    done
done
if (echo /tmp/evil.so >/etc/ld.so.preload) 2>/dev/null; then
    echo "ESCAPED: wrote /etc/ld.so.preload"
    exit 0
fi
echo contained
