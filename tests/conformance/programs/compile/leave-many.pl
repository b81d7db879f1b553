# Leaves more names than it may, all of one empty file.
BEGIN {
    if ($^C) {
        open(my $file, '>', 'one') or die;
        for my $number (1 .. 17000) {
            link('one', "link-$number") or die;
        }
    }
}
print "ESCAPED: hard links\n";
