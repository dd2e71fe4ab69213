// The functions that R calls.
#include "export_checksum.cpp"
#include "export_fit.cpp"
#include "export_predict.cpp"
#include "export_registry.cpp"
