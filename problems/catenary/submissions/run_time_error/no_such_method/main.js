// TypeError at the first chain: a string has no method "divide".
const [, ...chains] = require("fs").readFileSync(0, "ascii").trimEnd().split("\n");
for (const chain of chains) {
  console.log(chain.split(" ")[0].divide(2));
}
