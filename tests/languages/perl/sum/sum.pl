#!/usr/bin/perl
use strict;
use warnings;

my ($first, $second) = split ' ', <STDIN>;
print $first + $second, "\n";
