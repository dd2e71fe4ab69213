// A test runner in one header: TEST registers, CHECK and CHECK_CLOSE count.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace check {

struct Case {
  std::string name, file;
  std::function<void()> body;
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Register {
  Register(const char* name, const char* file, std::function<void()> body) {
    cases().push_back({name, file, body});
  }
};

inline void report(bool ok, const char* file, int line, const std::string& what) {
  if (ok) return;
  ++failures();
  std::printf("%s:%d: %s\n", file, line, what.c_str());
}

// Within `tolerance`, relative to the larger of |expected| and 1; equal infinities agree.
inline bool close(double actual, double expected, double tolerance) {
  if (actual == expected) return true;
  return std::abs(actual - expected) <= tolerance * std::fmax(1.0, std::abs(expected));
}

// As a double: x87 returns the values of functions with more digits than those in memory have.
inline double rounded(double value) {
  const volatile double stored = value;
  return stored;
}

// Whether the case is from the test `of`, where several are in one program.
inline bool is_of(const Case& test, const std::string& of) {
  const std::string end = "/" + of + ".cpp", file = "/" + test.file;
  return file.size() >= end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0;
}

// All cases, or those of one test.
inline int run(const char* of = nullptr) {
  int passed = 0, failed = 0;
  for (const Case& test : cases()) {
    if (of && !is_of(test, of)) continue;
    const int before = failures();
    try {
      test.body();
    } catch (const std::exception& e) {
      report(false, test.name.c_str(), 0, std::string("uncaught: ") + e.what());
    }
    if (failures() == before) {
      ++passed;
    } else {
      ++failed;
      std::printf("FAILED %s\n", test.name.c_str());
    }
  }
  if (passed + failed == 0) {
    ++failed;
    std::printf("no cases\n");
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace check

#define CHECK_JOIN2(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN2(a, b)
#define TEST(title)                                                                    \
  static void CHECK_JOIN(test_, __LINE__)();                                           \
  static check::Register CHECK_JOIN(register_, __LINE__)(title, __FILE__,              \
                                                         CHECK_JOIN(test_, __LINE__)); \
  static void CHECK_JOIN(test_, __LINE__)()
#define CHECK(condition) check::report((condition), __FILE__, __LINE__, #condition)
#define CHECK_CLOSE(actual, expected, tolerance)                                        \
  check::report(check::close((actual), (expected), (tolerance)), __FILE__, __LINE__,    \
                std::string(#actual) + " = " + std::to_string(actual) + ", expected " + \
                    std::to_string(expected))
#define CHECK_THROWS(expression, type)                                       \
  do {                                                                       \
    bool thrown = false;                                                     \
    try {                                                                    \
      (void)(expression);                                                    \
    } catch (const type&) {                                                  \
      thrown = true;                                                         \
    }                                                                        \
    check::report(thrown, __FILE__, __LINE__, #expression " throws " #type); \
  } while (false)
