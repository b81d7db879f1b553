# Goes on after the end.
print("double", flush=True)
while True:
    number = int(input())
    if number == 0:
        break
    print(2 * number, flush=True)
print("more")
