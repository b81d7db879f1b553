{ seen[$1 + $2] = 1 }
END {
    count = asorti(seen, sorted, "@ind_num_asc")
    for (i = 1; i <= count; i++) print sorted[i]
}
