// A checksum of an R object's contents. It shows that a fit is unchanged after it was saved and
// read on another machine or by another version of R.
#include <Rcpp.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace {

// FNV-1a over 64-bit words, with extra mixing after each word.
class Checksum {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001b3u;
    state_ ^= state_ >> 29;
  }

  // Numbers count by value: 1L equals 1, and all NaN are equal.
  void add(double value) {
    std::uint64_t bits = 0x7ff8000000000000u;
    if (!std::isnan(value)) std::memcpy(&bits, &value, sizeof bits);
    add(bits);
  }

  void add(const char* text) {
    for (; *text; ++text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(*text)));
    add(std::uint64_t{256});
  }

  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

void add_object(SEXP x, Checksum& sum);

// Skips environments, which lead out of the object.
void add_attributes(SEXP x, Checksum& sum) {
  for (SEXP node = ATTRIB(x); node != R_NilValue; node = CDR(node)) {
    const std::string name = CHAR(PRINTNAME(TAG(node)));
    if (name == "srcref" || name == ".Environment") continue;
    sum.add(name.c_str());
    add_object(CAR(node), sum);
  }
}

void add_strings(SEXP x, Checksum& sum) {
  for (R_xlen_t i = 0; i < Rf_xlength(x); ++i) {
    const SEXP one = STRING_ELT(x, i);
    if (one == NA_STRING) {
      sum.add(std::uint64_t{257});
    } else {
      sum.add(Rf_translateCharUTF8(one));
    }
  }
}

void add_numbers(const Rcpp::NumericVector& x, Checksum& sum) {
  for (const double value : x) sum.add(value);
}

void add_object(SEXP x, Checksum& sum) {
  switch (TYPEOF(x)) {
    case LGLSXP:
    case INTSXP:
    case REALSXP:
      sum.add("numbers");
      sum.add(static_cast<double>(Rf_xlength(x)));
      add_numbers(Rcpp::NumericVector(x), sum);
      break;
    case STRSXP:
      sum.add("strings");
      sum.add(static_cast<double>(Rf_xlength(x)));
      add_strings(x, sum);
      break;
    case VECSXP:
      sum.add("list");
      sum.add(static_cast<double>(Rf_xlength(x)));
      for (R_xlen_t i = 0; i < Rf_xlength(x); ++i) add_object(VECTOR_ELT(x, i), sum);
      break;
    case SYMSXP:
      sum.add(CHAR(PRINTNAME(x)));
      return;
    case LANGSXP:
    case LISTSXP:
      sum.add("call");
      for (SEXP node = x; node != R_NilValue; node = CDR(node)) add_object(CAR(node), sum);
      break;
    default:
      sum.add(Rf_type2char(TYPEOF(x)));
      return;
  }
  add_attributes(x, sum);
}

}  // namespace

// Returned as 16 hexadecimal digits.
// [[Rcpp::export(rng = false)]]
std::string core_checksum(const Rcpp::RObject& object) {
  Checksum sum;
  add_object(object, sum);
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum.state()));
  return digits;
}
