const { add } = require("./adding");

const numbers = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
console.log(add(...numbers));
