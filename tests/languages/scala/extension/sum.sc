import java.util.Scanner

object Sum {
  def main(args: Array[String]): Unit = {
    val in = new Scanner(System.in)
    println(in.nextInt() + in.nextInt())
  }
}
