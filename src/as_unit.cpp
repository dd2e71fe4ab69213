// Conversions between lists and structs.
#include "as.cpp"
#include "as_model.cpp"
#include "as_terms.cpp"
