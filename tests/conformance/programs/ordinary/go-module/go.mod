module sum

go 1.18
