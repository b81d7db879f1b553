numbers <- scan(file("stdin"), what = integer(), quiet = TRUE)
cat(sum(numbers), "\n", sep = "")
