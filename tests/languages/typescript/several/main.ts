import * as fs from "node:fs";
import { add } from "./adding/pair";

const [a, b] = fs.readFileSync(0, "utf8").trim().split(/\s+/).map(Number);
console.log(add(a, b));
