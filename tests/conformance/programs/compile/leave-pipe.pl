# Leaves a pipe, which nobody who opens it to read it comes back from.
use POSIX ();
BEGIN {
    if ($^C) {
        POSIX::mkfifo('pipe', 0600) or die;
    }
}
print "ESCAPED: a pipe\n";
