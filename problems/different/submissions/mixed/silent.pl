#!/usr/bin/perl
# @EXPECTED_RESULTS@: NO-OUTPUT, WRONG-ANSWER
# Reads everything and says nothing. Judges without a verdict for silence call it a wrong answer.
1 while <STDIN>;
