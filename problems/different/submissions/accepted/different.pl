use strict;
use warnings;
use integer;

while (my $line = <STDIN>) {
    my ($a_reading, $b_reading) = split ' ', $line;
    my $difference = $a_reading - $b_reading;
    print $difference < 0 ? -$difference : $difference, "\n";
}
