# Leaves a file whose name is no text.
BEGIN {
    if ($^C) {
        open(my $file, '>', "name-\xff") or die;
    }
}
print "ESCAPED: a name that is not UTF-8\n";
