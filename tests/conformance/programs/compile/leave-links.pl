# Leaves links out of its folder, to itself and to nothing: nobody may follow them.
BEGIN {
    if ($^C) {
        symlink '/etc/shadow', 'shadow' or die;
        symlink '/proc/self/root', 'root' or die;
        symlink '.', 'here' or die;
        symlink 'nowhere', 'nothing' or die;
        for my $number (1 .. 1000) {
            symlink "$number" . "t" x 200, "$number" . "n" x 200 or die;
        }
    }
}
print "contained\n";
