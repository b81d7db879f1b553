# The interactor fails by its own fault.
input(); print("fail", flush=True)
