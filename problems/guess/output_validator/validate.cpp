// Talks to one submission: `validate input_file answer_file feedback_dir`, submission on standard input and
// output. Exits 42 if the wreck was touched, 43 if the submission erred, 1 if the test data are broken.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include <unistd.h>

namespace {

constexpr int ACCEPT = 42;
constexpr int REJECT = 43;
constexpr int BROKEN = 1;
// 10^18 has 19 digits. A longer line is wrong before its end has been seen, so a flood is cut short.
constexpr std::size_t LINE_BYTES_MAX = 19;

std::string feedback_dir;

[[noreturn]] void finish(int code, const std::string& message) {
    std::ofstream(feedback_dir + "judgemessage.txt", std::ios::app) << message << '\n';
    std::_Exit(code);
}

/// Reads single bytes through a buffer of our own: a stream would hide the difference between end and error.
class SubmissionOutput {
public:
    /// Returns the next byte, or -1 at the end.
    int next() {
        if (position == filled) {
            ssize_t got;
            do {
                got = read(STDIN_FILENO, buffer, sizeof buffer);
            } while (got < 0 && errno == EINTR);
            if (got <= 0) {
                return -1;
            }
            filled = static_cast<std::size_t>(got);
            position = 0;
        }
        return static_cast<unsigned char>(buffer[position++]);
    }

private:
    char buffer[4096];
    std::size_t position = 0;
    std::size_t filled = 0;
};

/// A submission that has gone away cannot be told anything; what it printed before still counts.
void tell(const std::string& line) {
    const std::string bytes = line + '\n';
    std::size_t written = 0;
    while (written < bytes.size()) {
        const ssize_t count = write(STDOUT_FILENO, bytes.data() + written, bytes.size() - written);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return;
        }
        written += static_cast<std::size_t>(count);
    }
}

std::uint64_t read_sounding(SubmissionOutput& output, std::uint64_t bound, int number) {
    const std::string where = "sounding " + std::to_string(number) + ": ";
    std::string digits;
    for (;;) {
        const int byte = output.next();
        if (byte < 0) {
            finish(REJECT, where + "the output ended, the wreck was not touched");
        }
        if (byte == '\n') {
            break;
        }
        if (byte < '0' || byte > '9') {
            finish(REJECT, where + "byte " + std::to_string(byte) + " is not a digit");
        }
        digits.push_back(static_cast<char>(byte));
        if (digits.size() > LINE_BYTES_MAX) {
            finish(REJECT, where + "the line is longer than any depth");
        }
    }
    // 19 digits stay below 2^64, so nothing can wrap around here.
    const std::uint64_t depth = digits.empty() ? 0 : std::strtoull(digits.c_str(), nullptr, 10);
    if (depth < 1 || depth > bound) {
        finish(REJECT, where + "'" + digits + "' is not a depth between 1 and " + std::to_string(bound));
    }
    return depth;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::cerr << "usage: validate input_file answer_file feedback_dir\n";
        return BROKEN;
    }
    feedback_dir = argv[3];
    // A submission may end before it reads its answer; that must not end the judge's side with a signal.
    std::signal(SIGPIPE, SIG_IGN);

    std::ifstream input(argv[1]);
    std::uint64_t bound = 0, wreck = 0;
    int soundings = 0;
    std::string kind;
    if (!(input >> bound >> soundings >> kind) || (kind == "fixed" && !(input >> wreck)) ||
        (kind != "fixed" && kind != "adaptive")) {
        finish(BROKEN, std::string("cannot read the test case ") + argv[1]);
    }

    tell(std::to_string(bound) + " " + std::to_string(soundings));
    SubmissionOutput output;
    std::uint64_t lowest = 1, highest = bound;  // what the answers so far leave possible
    for (int number = 1;; number++) {
        const std::uint64_t depth = read_sounding(output, bound, number);
        if (number > soundings) {
            finish(REJECT, "more than " + std::to_string(soundings) + " soundings");
        }
        bool deeper = depth < wreck, higher = depth > wreck;
        if (kind == "adaptive") {
            // Keep the larger part, or give up the only place that is left.
            const std::uint64_t above = depth <= lowest ? 0 : std::min(depth - 1, highest) - lowest + 1;
            const std::uint64_t below = depth >= highest ? 0 : highest - std::max(depth + 1, lowest) + 1;
            deeper = below > 0 && below >= above;
            higher = above > 0 && !deeper;
        }
        if (deeper) {
            lowest = std::max(lowest, depth + 1);
            tell("deeper");
        } else if (higher) {
            highest = std::min(highest, depth - 1);
            tell("higher");
        } else {
            tell("touched");
            if (output.next() >= 0) {
                finish(REJECT, "output after the wreck was touched");
            }
            finish(ACCEPT, "touched at " + std::to_string(depth) + " with sounding " + std::to_string(number) +
                               " of " + std::to_string(soundings));
        }
    }
}
