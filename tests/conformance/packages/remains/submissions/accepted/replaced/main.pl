# While it is compiled it puts a folder in the place of its other source. This is as handed in.
BEGIN {
    if ($^C) {
        unlink 'other.pm' or die;
        mkdir 'other.pm' or die;
        mkdir 'other.pm/in' or die;
        open(my $file, '>', 'other.pm/in/file') or die;
    }
}
print "42\n";
