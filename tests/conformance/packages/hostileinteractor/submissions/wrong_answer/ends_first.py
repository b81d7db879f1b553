# Ends well before the interactor has had its answer.
print("double", flush=True)
