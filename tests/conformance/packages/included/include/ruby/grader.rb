def step(number)
  number + 1
end
