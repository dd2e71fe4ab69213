// Runs all cases of a program, or those of the test named by the argument.
#include "check.hpp"

int main(int count, char** arguments) { return check::run(count > 1 ? arguments[1] : nullptr); }
