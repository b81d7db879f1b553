#pragma once

#include <cstdint>

// Too narrow for the large groups; unsigned, so that it wraps around instead of being undefined.
using Money = std::uint32_t;
