# The plainest program in Perl.
use strict;
use warnings;

my ($n, @values) = map { split } <STDIN>;
my $sum = 0;
$sum += $_ for @values;
print "$sum\n";
