numbers <- scan(file("stdin"), what = integer(), quiet = TRUE)
sums <- numbers[c(TRUE, FALSE)] + numbers[c(FALSE, TRUE)]
cat(sort(unique(sums)), sep = "\n")
cat("\n")
