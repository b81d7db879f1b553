use strict;
my %seen;
while (my $line = <STDIN>) {
    my ($a, $b) = split ' ', $line;
    $seen{$a + $b} = 1;
}
print "$_\n" for sort { $a <=> $b } keys %seen;
