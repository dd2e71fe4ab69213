// Independent pieces of work on several threads.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace btg {

// How long work is run. `check_interrupt` throws to stop it, and is called by the
// calling thread only.
struct Execution {
  int threads = 1;
  std::function<void()> check_interrupt = [] {};
};

// body(i) for i = 0, ..., count - 1, in any order: a body writes to places of its own,
// so the result does not depend on the number of threads. The first exception stops
// all threads and is thrown again here.
template <class Body>
void parallel_for(long count, const Execution& execution, Body body) {
  std::atomic<long> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](bool calling_thread) {
    try {
      for (long i = next++; i < count; i = next++) {
        if (calling_thread) execution.check_interrupt();
        body(i);
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  for (long t = 1; t < execution.threads && t < count; ++t) others.emplace_back(work, false);
  work(true);
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace btg
