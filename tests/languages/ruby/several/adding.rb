module Adding
  def self.add(a, b)
    a + b
  end
end
