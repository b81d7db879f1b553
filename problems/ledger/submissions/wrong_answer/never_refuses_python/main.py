import book

for _ in range(int(input())):
    verb, *words = input().split()
    if verb == "deposit":
        book.balances[words[0]] += int(words[1])
    elif verb == "transfer":
        book.transfer(words[0], words[1], int(words[2]))
    else:
        print(book.balances[words[0]])
print("refused 0")
