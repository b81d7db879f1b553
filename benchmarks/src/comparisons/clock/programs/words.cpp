// Counts made-up words in an ordered map, and sorts them by how often they came.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  (void)argc;
  std::map<std::string, int> counts;
  unsigned long random = 3;
  for (long left = std::atol(argv[1]); left > 0; left--) {
    random = random * 6364136223846793005UL + 1442695040888963407UL;
    counts["word" + std::to_string((random >> 40) % 3000)]++;
  }
  std::vector<std::pair<int, std::string>> all;
  for (const auto &[word, count] : counts)
    all.emplace_back(count, word);
  std::sort(all.rbegin(), all.rend());
  std::printf("%s %d\n", all[0].second.c_str(), all[0].first);
}
