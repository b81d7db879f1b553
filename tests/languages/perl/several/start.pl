use strict;
use warnings;
use Adding;

print Adding::add(split " ", <STDIN>), "\n";
