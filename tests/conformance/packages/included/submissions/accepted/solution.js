const { step } = require("./grader.js");

console.log(step(Number(require("fs").readFileSync(0, "utf8"))));
