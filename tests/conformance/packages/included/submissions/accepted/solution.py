from grader import step

print(step(int(input())))
