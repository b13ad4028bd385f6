// The one place where kernels start threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace calmgam {

// Makes this thread able to throw when there is no memory left: its first exception would ask for a few bytes, to
// keep count of exceptions, and end the process if there are none. False, with nothing done, if they may be lacking.
inline bool prepare_to_throw() {
    void* volatile spare = std::malloc(1 << 16);  // volatile: compilers leave nothing out
    if (!spare) return false;
    std::free(spare);
    [[maybe_unused]] const volatile int counted = std::uncaught_exceptions();
    return true;
}

namespace threads_detail {

// Threads that are joined whatever happens.
class Helpers {
   public:
    Helpers() = default;
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;
    ~Helpers() { join(); }

    // Starts up to n_threads of them. Where the system gives no more, those that started must do.
    template <typename Work>
    void start(std::size_t n_threads, Work& work) {
        try {
            threads_.reserve(n_threads);
            while (threads_.size() < n_threads)
                threads_.emplace_back([&work] {
                    if (prepare_to_throw()) work();
                });
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }

    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

   private:
    std::vector<std::thread> threads_;
};

}  // namespace threads_detail

// Calls task(0) .. task(n_tasks - 1) on up to n_threads threads, of which the caller's is one. Tasks must not
// share what they write: then the result has the same bits for any number of threads. The first exception of a
// task ends the work and is the caller's.
template <typename Task>
void parallel_for(std::size_t n_tasks, int n_threads, Task&& task) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr thrown;
    auto work = [&]() noexcept {
        try {
            for (std::size_t index; (index = next.fetch_add(1)) < n_tasks;) task(index);
        } catch (...) {
            next.store(n_tasks);  // nobody begins another task
            const std::lock_guard<std::mutex> lock(mutex);
            if (!thrown) thrown = std::current_exception();
        }
    };
    const std::size_t wanted = std::min(n_tasks, static_cast<std::size_t>(std::max(n_threads, 1)));
    threads_detail::Helpers helpers;
    if (wanted > 1) helpers.start(wanted - 1, work);
    work();
    helpers.join();
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace calmgam
