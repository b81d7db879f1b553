# Leaves 60 folders in one another with names so long that no call can open the last one by its path.
BEGIN {
    if ($^C) {
        my $name = "n" x 250;
        for (1 .. 60) {
            mkdir $name or die;
            chdir $name or die;
        }
    }
}
print "ESCAPED: nested folders\n";
