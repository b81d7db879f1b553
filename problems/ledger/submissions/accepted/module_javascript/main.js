const { Book } = require("./book.js");

const book = new Book();
const [, ...requests] = require("fs").readFileSync(0, "ascii").trimEnd().split("\n");
for (const request of requests) {
  const words = request.split(" ");
  if (words[0] === "deposit") book.deposit(words[1], Number(words[2]));
  else if (words[0] === "transfer") book.transfer(words[1], words[2], Number(words[3]));
  else console.log(book.balance(words[1]));
}
console.log(`refused ${book.refused}`);
