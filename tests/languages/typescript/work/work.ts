import { readFileSync } from "fs";

const seen = new Map<number, boolean>();
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
    const [a, b]: number[] = line.split(" ").map(Number);
    seen.set(a + b, true);
}
console.log(Array.from(seen.keys()).sort((a, b) => a - b).join("\n"));
