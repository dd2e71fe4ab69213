// All sources but compute_avx2.cpp as one. The core is in headers: compiled one by one, they take
// two and a half times as long, most of it for what they share. Makevars names this file only.
#include "RcppExports.cpp"
#include "as.cpp"
#include "as_fit.cpp"
#include "compute_blas.cpp"
#include "export_checksum.cpp"
#include "export_fit.cpp"
#include "export_predict.cpp"
#include "export_registry.cpp"
