# It leaves nearly as much as it may while it is compiled: nobody copies that. This is as handed in.
BEGIN {
    if ($^C) {
        open(my $hole, '>', 'hole') or die;
        truncate($hole, 400 << 20) or die;
        open(my $data, '>', 'closed') or die;
        print $data "x" x (1 << 20) for 1 .. 100;
        close $data or die;
        chmod 0, 'closed' or die;
        symlink '/etc/passwd', 'link' or die;
    }
}
print "42\n";
