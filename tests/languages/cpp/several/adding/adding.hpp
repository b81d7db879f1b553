#pragma once

namespace adding {
int add(int a, int b);
}
