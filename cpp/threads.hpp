// The one place where kernels start threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace calmgam {

// Calls task(0) .. task(n_tasks - 1) on up to n_threads threads. Tasks must not share what they write:
// then the result has the same bits for any number of threads.
template <typename Task>
void parallel_for(std::size_t n_tasks, int n_threads, Task&& task) {
    std::atomic<std::size_t> next{0};
    auto work = [&] {
        for (std::size_t index; (index = next.fetch_add(1)) < n_tasks;) task(index);
    };
    std::vector<std::thread> helpers;
    const std::size_t wanted = std::min(n_tasks, static_cast<std::size_t>(std::max(n_threads, 1)));
    for (std::size_t k = 1; k < wanted; ++k) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
}

}  // namespace calmgam
