local adding = require("adding")

print(adding.add(io.read("n", "n")))
