const seen = new Map();
for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
    const [a, b] = line.split(" ").map(Number);
    seen.set(a + b, true);
}
console.log([...seen.keys()].sort((a, b) => a - b).join("\n"));
