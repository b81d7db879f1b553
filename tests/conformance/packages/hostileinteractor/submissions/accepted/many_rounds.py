# Two thousand exchanges: each must be quick.
print("many-rounds", flush=True)
while True:
    number = int(input())
    if number == 0:
        break
    print(2 * number, flush=True)
