require "grader"

puts step(gets.to_i)
