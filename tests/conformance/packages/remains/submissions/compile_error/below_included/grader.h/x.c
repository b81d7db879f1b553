// It lies below what is a file.
