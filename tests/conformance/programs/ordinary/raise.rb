# An exception that nobody catches: the interpreter exits 1.
raise "no answer"
