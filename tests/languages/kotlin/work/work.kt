fun main() {
    val seen = HashSet<Int>()
    while (true) {
        val line = readLine() ?: break
        seen.add(line.split(" ").map { it.toInt() }.sum())
    }
    println(seen.sorted().joinToString("\n"))
}
