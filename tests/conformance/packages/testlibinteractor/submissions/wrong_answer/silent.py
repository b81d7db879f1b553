# Ends before it has answered.
input()
