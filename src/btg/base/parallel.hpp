// Runs independent pieces of work on several threads of the standard library.
//
// R imposes three rules. Only the calling thread runs callbacks, because R is not thread-safe.
// Exceptions reach the caller after all threads have ended. No thread outlives its loop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace btg {

// Callbacks that only the calling thread runs, at most once every `interval` seconds.
struct Callbacks {
  std::function<void()> check_interrupt = [] {};  // throws to stop the work
  std::function<void(double done, double total)> progress = [](double, double) {};
  double interval = 0.05;
};

// Thrown to end the other threads after one has failed. It never leaves parallel_for.
struct WorkStopped {};

// Holds the number of threads and the callbacks. Copies share one state.
class Execution {
 public:
  int threads = 1;

  Execution() : Execution(1) {}
  explicit Execution(int threads, Callbacks callbacks = {})
      : threads(threads), state_(std::make_shared<State>(std::move(callbacks))) {}

  // Sets the cost of each coming loop, in any unit; progress is reported in that unit. Without a
  // plan, the reported total is 0 and progress counts pieces.
  void plan(std::vector<double> costs) const {
    state_->total = std::accumulate(costs.begin(), costs.end(), 0.0);
    state_->costs = std::move(costs);
    state_->next_loop = 0;
    state_->done = state_->before = 0.0;
  }

  // Long computations call this several times per second. It is cheap enough for every microsecond.
  void check() const {
    State& state = *state_;
    if (state.stopped) throw WorkStopped();
    if (!is_caller()) return;
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - state.last).count() < state.callbacks.interval) return;
    state.last = now;
    state.callbacks.check_interrupt();
    state.callbacks.progress(state.done, state.total);
  }

  // Returns a copy whose loops do not count towards progress.
  Execution without_progress() const {
    Execution copy = *this;
    copy.reports_ = false;
    return copy;
  }

  // Counts one piece of work outside any loop. Call it before the work.
  void step() const {
    check();
    if (is_caller() && state_->total == 0.0) state_->done = state_->before += 1.0;
  }

 private:
  template <class Body>
  friend void parallel_for(long count, const Execution& execution, Body body);
  template <class Body>
  friend void serial_for(long count, const Execution& execution, Body body);

  // The state is shared, so that copies made and destroyed by threads never touch the callbacks.
  struct State {
    explicit State(Callbacks callbacks) : callbacks(std::move(callbacks)) {}
    const Callbacks callbacks;
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> stopped{false};
    // Only the calling thread uses the members below.
    std::chrono::steady_clock::time_point last{};
    std::vector<double> costs;
    std::size_t next_loop = 0;
    double total = 0.0, done = 0.0;
    double before = 0.0;  // completed by earlier loops
  };

  bool is_caller() const { return std::this_thread::get_id() == state_->caller; }

  double begin_loop(long count) const {
    State& state = *state_;
    if (!is_caller() || !reports_) return 0.0;
    if (state.total == 0.0) return static_cast<double>(count);
    return state.next_loop < state.costs.size() ? state.costs[state.next_loop++] : 0.0;
  }

  void begin_piece(double share, double cost) const {
    if (is_caller() && reports_) state_->done = state_->before + share * cost;
    check();
  }

  void end_loop(double cost) const {
    if (!is_caller() || !reports_) return;
    state_->done = state_->before += cost;
    const bool complete = state_->total > 0.0 && state_->done == state_->total;
    if (complete) state_->callbacks.progress(state_->done, state_->total);
  }

  std::shared_ptr<State> state_;
  bool reports_ = true;
};

// True while this thread runs a body of parallel_for.
inline bool& inside_loop() {
  static thread_local bool inside = false;
  return inside;
}

// Runs body(i) for i = 0, ..., count - 1, in any order. Each body writes only to its own places, so
// the result does not depend on the number of threads. The first exception stops all threads and is
// rethrown here. If the system cannot start enough threads, fewer are used. Long bodies call
// execution.check(). A nested loop runs on the thread of its body alone.
template <class Body>
void parallel_for(long count, const Execution& execution, Body body) {
  if (inside_loop()) {
    for (long i = 0; i < count; ++i) {
      execution.check();
      body(i);
    }
    return;
  }
  std::atomic<long> next{0};
  std::atomic<bool>& stopped = execution.state_->stopped;
  const double cost = execution.begin_loop(count);
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    inside_loop() = true;
    try {
      for (long i = next++; i < count; i = next++) {
        execution.begin_piece(static_cast<double>(i) / static_cast<double>(count), cost);
        body(i);
      }
    } catch (const WorkStopped&) {
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      stopped = true;
      next = count;
    }
    inside_loop() = false;
  };
  std::vector<std::thread> others;
  const long wanted = std::min<long>(execution.threads, count) - 1;
  if (wanted > 0) others.reserve(wanted);
  try {
    for (long t = 0; t < wanted; ++t) others.emplace_back(work);
  } catch (const std::system_error&) {
  }
  work();
  for (std::thread& thread : others) thread.join();
  stopped = false;
  if (failure) std::rethrow_exception(failure);
  execution.end_loop(cost);
}

// Runs body(0), ..., body(count - 1) in order, as one loop for progress. Loops nested in a body may
// use all threads.
template <class Body>
void serial_for(long count, const Execution& execution, Body body) {
  const double cost = execution.begin_loop(count);
  for (long i = 0; i < count; ++i) {
    execution.begin_piece(static_cast<double>(i) / static_cast<double>(count), cost);
    body(i);
  }
  execution.end_loop(cost);
}

}  // namespace btg
