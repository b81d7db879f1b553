# The next input is a link to an endless device.
print('endless-link', input())
