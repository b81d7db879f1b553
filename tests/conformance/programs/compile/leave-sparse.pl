# Leaves 2000 files of 400 MiB that take no memory: who reads them is busy for hours.
BEGIN {
    if ($^C) {
        for my $number (1 .. 2000) {
            open(my $file, '>', "hole-$number") or die;
            truncate($file, 400 << 20) or die;
        }
    }
}
print "ESCAPED: sparse files\n";
