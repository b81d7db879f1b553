package start

import adding.add

fun main(args: Array<String>) {
    val (a, b) = readLine()!!.trim().split(" ").map(String::toInt)
    println(add(a, b))
}
