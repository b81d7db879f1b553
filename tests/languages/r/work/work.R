numbers <- scan(file("stdin"), what = integer(), quiet = TRUE)
sums <- numbers[c(TRUE, FALSE)] + numbers[c(FALSE, TRUE)]
writeLines(as.character(sort(unique(sums))))
