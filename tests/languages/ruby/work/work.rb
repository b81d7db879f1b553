seen = {}
while (line = gets)
  a, b = line.split.map(&:to_i)
  seen[a + b] = true
end
puts seen.keys.sort
