package Adding;

use strict;

sub add { return $_[0] + $_[1] }

1;
