// The plainest program in JavaScript; node starts its own worker threads.
const words = require("fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
console.log(words.slice(1).reduce((a, b) => a + b, 0));
