# The next input is a FIFO that nobody writes to.
print('fifo', input())
