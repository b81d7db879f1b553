import scala.collection.mutable

object Work {
  def main(args: Array[String]): Unit = {
    val seen = mutable.HashSet[Int]()
    for (line <- scala.io.Source.stdin.getLines()) seen += line.split(" ").map(_.toInt).sum
    println(seen.toArray.sorted.mkString("\n"))
  }
}
