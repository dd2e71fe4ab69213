// A program of one test or of several: all cases, or those of the test named by the argument.
#include "check.hpp"

int main(int count, char** arguments) { return check::run(count > 1 ? arguments[1] : nullptr); }
