# The second input is as large as feedback may be: more than the validator's limit on output.
print('large', input())
