# Sockets from Perl: internet, version 6, raw.
use strict;
use warnings;
use Socket;

my @worked;
push @worked, "TCP"  if socket(my $tcp,  PF_INET,  SOCK_STREAM, 6);
push @worked, "UDP"  if socket(my $udp,  PF_INET,  SOCK_DGRAM,  17);
push @worked, "TCP6" if socket(my $tcp6, PF_INET6, SOCK_STREAM, 6);
push @worked, "raw"  if socket(my $raw,  PF_INET,  SOCK_RAW,    1);
print @worked ? "ESCAPED: @worked\n" : "contained\n";
