// Speaks the protocol of testlib's interactors: input, log and answer as arguments, the submission on the
// standard streams, the verdict as exit code.
#include "testlib.h"

#include <iostream>

int main(int argc, char **argv) {
    int rounds, answer;
    if (argc != 4) return end(3, "FAIL expected three arguments, got " + std::to_string(argc - 1));
    if (!(std::ifstream(argv[1]) >> rounds)) return end(3, "FAIL the input is not in argument 1");
    if (!(std::ifstream(argv[3]) >> answer) || answer != 42) return end(3, "FAIL the answer is not in argument 3");
    std::ofstream log(argv[2]);
    if (!log) return end(3, "FAIL the log cannot be written");
    for (int round = 1; round <= rounds; ++round) {
        std::cout << round << std::endl;
        std::string word;
        if (!(std::cin >> word)) return end(2, "wrong output format Unexpected end of file");
        log << round << ' ' << word << '\n';
        if (word == "fail") return end(3, "FAIL the jury gives up");
        if (word == "points") return end(7, "points 1");
        if (word != std::to_string(2 * round)) return end(1, "wrong answer in round " + std::to_string(round));
    }
    std::cout << 0 << std::endl;
    return end(0, "ok " + std::to_string(rounds) + " rounds");
}
