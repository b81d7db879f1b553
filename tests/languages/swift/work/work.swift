var seen: [Int: Bool] = [:]
while let line = readLine() {
    let numbers = line.split(separator: " ").map { Int($0)! }
    seen[numbers[0] + numbers[1]] = true
}
for sum in seen.keys.sorted() { print(sum) }
