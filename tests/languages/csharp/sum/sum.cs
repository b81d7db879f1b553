using System;
using System.Linq;

static class Sum
{
    static void Main()
    {
        Console.WriteLine(Console.In.ReadToEnd().Split((char[])null, StringSplitOptions.RemoveEmptyEntries)
            .Select(int.Parse).Sum());
    }
}
