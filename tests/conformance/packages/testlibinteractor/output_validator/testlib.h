// Stands where the library's header would: that it is included is how the protocol is recognised.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

inline int end(int code, const std::string &message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    return code;
}
