{ for (i = 1; i <= NF; i++) total += $i }
END { print total }
