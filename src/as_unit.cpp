// Lists to structs and back.
#include "as.cpp"
#include "as_model.cpp"
