# Exit code 3: the jury's fault.
print("fail")
