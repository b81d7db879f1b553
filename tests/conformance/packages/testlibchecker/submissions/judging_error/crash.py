# The checker crashes.
print("crash")
