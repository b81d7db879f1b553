const [, ...chains] = require("fs").readFileSync(0, "ascii").trimEnd().split("\n");

function solve(ratio) {
  let low = 0;
  let high = 20;
  for (let step = 0; step < 64; step++) {
    const middle = (low + high) / 2;
    if (Math.sinh(middle) < ratio * middle) low = middle;
    else high = middle;
  }
  return low;
}

for (const chain of chains) {
  const [gap, length] = chain.split(" ").map(Number);
  console.log((length / 2) * Math.tanh(solve(length / gap) / 2));
}
