using System;
using System.Collections.Generic;
using System.Linq;

class Work {
    static void Main() {
        var seen = new Dictionary<int, bool>();
        for (string line; (line = Console.ReadLine()) != null;) {
            var numbers = line.Split(' ').Select(int.Parse).ToArray();
            seen[numbers.Sum()] = true;
        }
        foreach (int sum in seen.Keys.OrderBy(sum => sum)) Console.WriteLine(sum);
    }
}
