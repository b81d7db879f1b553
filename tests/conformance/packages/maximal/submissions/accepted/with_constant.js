const fs = require("fs");
// The text file is included for languages without files of their own.
if (Number(fs.readFileSync("distance.txt", "utf8")) !== {{distance}}) process.exit(1);
console.log(Number(fs.readFileSync(0, "utf8")) + {{distance}});
