local adding = {}

function adding.add(a, b)
  return a + b
end

return adding
