// The clock and the yardstick of node.R.
#include <Rcpp.h>
#include <dlfcn.h>

#include <algorithm>
#include <ctime>

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif

// Seconds of processor time, to the nanosecond: other processes do not count.
// [[Rcpp::export]]
double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

using Dpotrf = void (*)(const char*, const int*, double*, const int*, int*, std::size_t);

// Deep binding: the library calls its own BLAS, not the one that R has loaded.
Dpotrf find_dpotrf(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  void* symbol = handle ? dlsym(handle, "dpotrf_") : nullptr;
  if (!symbol) Rcpp::stop("There is no dpotrf in %s.", library);
  return reinterpret_cast<Dpotrf>(symbol);
}

// Seconds for `times` copies of k, each factored by the library's dpotrf if `factor`.
// [[Rcpp::export]]
double time_dpotrf(const std::string& library, const Rcpp::NumericMatrix& k, int times,
                   bool factor) {
  static const Dpotrf dpotrf = find_dpotrf(library);
  const int n = k.nrow();
  int failures = 0;
  Rcpp::NumericMatrix l(n, n);
  const double start = processor_seconds();
  for (int i = 0; i < times; ++i) {
    int info = 0;
    std::copy(k.begin(), k.end(), l.begin());
    if (factor) dpotrf("L", &n, l.begin(), &n, &info, 1);
    failures += info != 0;
  }
  const double seconds = processor_seconds() - start;
  if (failures > 0) Rcpp::stop("dpotrf failed.");
  return seconds;
}
