for line in io.lines() do
  local a, b = line:match("^(%S+) (%S+)$")
  local difference = math.tointeger(a) - math.tointeger(b)
  print(math.abs(difference))
end
