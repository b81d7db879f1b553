-- Never leaves its first loop.
while true do end
