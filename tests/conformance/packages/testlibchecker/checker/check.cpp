// Speaks the protocol of testlib's checkers without that library: three files as arguments, nothing on
// standard input, the verdict as exit code and the message on standard error. The first word of the output
// says which of all the ends it has is wanted.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

static int end(int code, const std::string &message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    return code;
}

int main(int argc, char **argv) {
    std::string input, output, answer;
    if (argc != 4) return end(3, "FAIL expected three arguments, got " + std::to_string(argc - 1));
    if (!(std::ifstream(argv[1]) >> input) || input != "1") return end(3, "FAIL the input is not in argument 1");
    if (!(std::ifstream(argv[3]) >> answer) || answer != "42") return end(3, "FAIL the answer is not in argument 3");
    if (std::getchar() != EOF) return end(3, "FAIL there is something on standard input");
    std::ifstream written(argv[2]);
    if (!written) return end(3, "FAIL the output is not in argument 2");
    if (!(written >> output)) return end(8, "wrong output format Unexpected end of file");
    if (output == answer) return end(0, "ok one number");
    if (output == "dirt") return end(4, "wrong output format Extra tokens");
    if (output == "format") return end(2, "wrong output format Expected a number");
    if (output == "fail") return end(3, "FAIL the jury has no answer");
    if (output == "points") {
        std::string points;
        written >> points;
        return end(7, "points " + points + " partly right");
    }
    if (output == "kattis") return end(42, "ok");
    if (output == "crash") std::abort();
    return end(1, "wrong answer expected 42, found " + output);
}
