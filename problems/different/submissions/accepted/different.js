const lines = require("fs").readFileSync(0, "ascii").trimEnd().split("\n");
const differences = lines.map((line) => {
  const [a, b] = line.split(" ").map(BigInt);
  return a > b ? a - b : b - a;
});
console.log(differences.join("\n"));
