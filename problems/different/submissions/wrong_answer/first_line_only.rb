# Stops after one pair.
a, b = gets.split.map(&:to_i)
puts((a - b).abs)
