# die without a system error set exits 255.
$! = 0; $? = 0;
die "no answer\n";
