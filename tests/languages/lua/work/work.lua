local seen, sums = {}, {}
for line in io.lines() do
    local a, b = line:match("(%d+) (%d+)")
    seen[a + b | 0] = true
end
for sum in pairs(seen) do sums[#sums + 1] = sum end
table.sort(sums)
print(table.concat(sums, "\n"))
