// std::async, std::thread and atomics.
#include <atomic>
#include <future>
#include <iostream>
#include <thread>
#include <vector>

int main()
{
    std::atomic<long> total{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back([&] {
            for (int round = 0; round < 10000; round++)
                total++;
        });
    auto later = std::async(std::launch::async, [] { return 80000L; });
    for (auto &thread : threads)
        thread.join();
    std::cout << total + later.get() << '\n';
}
