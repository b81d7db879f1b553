require_relative "adding"

puts Adding.add(*gets.split.map(&:to_i))
