# The submission crashes in the second pass.
number = input()
print("submission", number)
raise SystemExit(0 if number == "1" else 5)
