# The plainest program in Ruby.
_n, *values = $stdin.read.split.map(&:to_i)
puts values.sum
