# Builds the core without R, and programs that use it. Called by tools/run-cpp-tests and `make core`:
#
#   make -f tools/core.mk OUT=DIRECTORY INCLUDES="-I src ..." TARGET...
#
# TARGET is $(OUT)/NAME for the program of a test, NAME.cpp in tests/cpp or several in one source that
# tools/run-cpp-tests wrote to $(OUT), or $(OUT)/example/NAME for that of bench/core/NAME.cpp.
# Objects are made again when a file that they include is newer, and when the flags change.

.DELETE_ON_ERROR:
.SECONDARY:

include src/Makevars

CXX      ?= g++
CXXFLAGS ?= -O1
# Alignment is a part of the interface: the same everywhere, and the same as in the package.
FLAGS    := -std=c++17 $(CXXFLAGS) -Wall -Wextra -pthread $(filter -D%,$(PKG_CPPFLAGS)) $(INCLUDES)
COMPILE  := $(CXX) $(FLAGS) -MMD -MP -c

# The objects of the package that know nothing of R: built here, or found in CORE_OBJECTS.
BTG     := $(addprefix $(or $(CORE_OBJECTS),$(OUT)/core)/,compute_avx2.o $(CORE))
SUPPORT := $(OUT)/main.o $(OUT)/unit.o

# Linkers for Windows append .exe to the name.
LINK = $(CXX) $(CXXFLAGS) -pthread $^ -o $@ && { [ ! -e $@.exe ] || mv $@.exe $@; }

$(OUT)/test%: $(OUT)/test%.o $(SUPPORT) $(BTG)
	$(LINK)

$(OUT)/example/%: $(OUT)/example/%.o $(BTG)
	$(LINK)

$(OUT)/core/%.o: src/%.cpp $(OUT)/flags
	@mkdir -p $(@D)
	$(COMPILE) $< -o $@

$(OUT)/example/%.o: bench/core/%.cpp $(OUT)/flags
	@mkdir -p $(@D)
	$(COMPILE) $< -o $@

$(OUT)/%.o: tests/cpp/%.cpp $(OUT)/flags
	$(COMPILE) -I tests/cpp $< -o $@

$(OUT)/%.o: $(OUT)/%.cpp $(OUT)/flags
	$(COMPILE) -I tests/cpp $< -o $@

# Newer than the objects only if the flags are others than they were made with.
$(shell mkdir -p $(OUT); echo '$(CXX) $(FLAGS)' | cmp -s - $(OUT)/flags || \
  echo '$(CXX) $(FLAGS)' >$(OUT)/flags)

-include $(BTG:.o=.d) $(wildcard $(OUT)/*.d $(OUT)/example/*.d)
