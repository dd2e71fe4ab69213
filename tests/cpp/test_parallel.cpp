// Loops on several threads: every piece once, one thread that calls back, failures that arrive.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "btg/base/parallel.hpp"
#include "check.hpp"

using btg::Callbacks;
using btg::Execution;
using btg::parallel_for;

namespace {

// Sleeping is in whole milliseconds on Windows.
void wait(double milliseconds) {
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::milli> span(milliseconds);
  while (std::chrono::steady_clock::now() - start < span) std::this_thread::yield();
}

// Notes what it is told, and by which thread.
struct Listener {
  std::vector<double> done, total;
  int checks = 0;
  bool only_caller = true;
  std::thread::id caller = std::this_thread::get_id();

  Callbacks callbacks(double interval = 0.0) {
    Callbacks result;
    result.interval = interval;
    result.check_interrupt = [this] {
      ++checks;
      only_caller = only_caller && std::this_thread::get_id() == caller;
    };
    result.progress = [this](double now, double all) {
      done.push_back(now);
      total.push_back(all);
      only_caller = only_caller && std::this_thread::get_id() == caller;
    };
    return result;
  }

  bool monotone() const { return std::is_sorted(done.begin(), done.end()); }
};

}  // namespace

TEST("every piece is done once, by as many threads as there are") {
  for (const int threads : {1, 2, 4, 64}) {
    for (const long count : {0L, 1L, 3L, 200L}) {
      std::vector<int> visits(count, 0);
      std::vector<std::thread::id> visitors(count);
      parallel_for(count, Execution(threads), [&](long i) {
        ++visits[i];
        visitors[i] = std::this_thread::get_id();
        if (count == 200) wait(0.2);
      });
      CHECK(visits == std::vector<int>(count, 1));
      std::sort(visitors.begin(), visitors.end());
      const auto different = std::unique(visitors.begin(), visitors.end()) - visitors.begin();
      CHECK(different <= threads);
      if (threads > 1 && threads <= 4 && count == 200) CHECK(different == threads);
    }
  }
}

TEST("progress of a plan is monotone, ends complete, and is told by the caller alone") {
  for (const int threads : {1, 3}) {
    Listener listener;
    const Execution execution(threads, listener.callbacks());
    execution.plan({30.0, 0.5, 4.0});
    for (const long count : {50L, 0L, 7L}) {
      parallel_for(count, execution, [&](long) {
        wait(0.1);
        execution.check();
      });
    }
    CHECK(listener.only_caller);
    CHECK(listener.checks > 0);
    CHECK(listener.monotone());
    CHECK(listener.done.front() < 34.5);
    CHECK(listener.done.back() == 34.5);
    CHECK(listener.total == std::vector<double>(listener.total.size(), 34.5));
  }
}

TEST("without a plan pieces are counted") {
  Listener listener;
  const Execution execution(1, listener.callbacks());
  parallel_for(3, execution, [](long) {});
  execution.step();
  execution.step();
  parallel_for(2, execution, [](long) {});
  CHECK((listener.done == std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  CHECK(listener.total == std::vector<double>(7, 0.0));
}

TEST("callbacks are not called more often than said") {
  Listener listener;
  const Execution execution(2, listener.callbacks(0.02));
  const auto start = std::chrono::steady_clock::now();
  parallel_for(2000, execution, [&](long) {
    execution.check();
    wait(0.05);
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  CHECK(listener.checks >= 2);
  CHECK(listener.checks <= took.count() / 0.02 + 1.0);
}

TEST("an interrupt stops all threads, in the middle of long pieces too") {
  for (const int threads : {1, 4}) {
    Callbacks callbacks;
    callbacks.interval = 0.0;
    const auto start = std::chrono::steady_clock::now();
    callbacks.check_interrupt = [&] {
      if (std::chrono::steady_clock::now() - start > std::chrono::milliseconds(20)) {
        throw std::runtime_error("stop");
      }
    };
    const Execution execution(threads, callbacks);
    CHECK_THROWS(parallel_for(threads, execution,
                              [&](long) {
                                for (int k = 0; k < 10000; ++k) {
                                  execution.check();
                                  wait(1.0);
                                }
                              }),
                 std::runtime_error);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    CHECK(took.count() < 2.0);
  }
}

TEST("an exception of any thread arrives once, and work can go on") {
  for (const int threads : {1, 2, 4}) {
    const Execution execution(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::atomic<int> begun{0};
      std::string message;
      try {
        parallel_for(1000, execution, [&](long i) {
          ++begun;
          if (i == 5) throw std::runtime_error("at five");
          execution.check();
          wait(0.01);
        });
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      CHECK(message == "at five");
      CHECK(begun < 1000);
      std::atomic<int> after{0};
      parallel_for(20, execution, [&](long) {
        execution.check();
        ++after;
      });
      CHECK(after == 20);
    }
  }
}

TEST("copies are of the same work") {
  Listener listener;
  const Execution execution(1, listener.callbacks());
  const Execution copy = execution;
  execution.plan({1.0, 1.0});
  parallel_for(1, execution, [](long) {});
  parallel_for(1, copy, [](long) {});
  CHECK(listener.done.back() == 2.0);
}
