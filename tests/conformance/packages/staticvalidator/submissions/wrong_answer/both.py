# A forbidden word and a wrong answer besides.
print(41)
