# `make` lists the targets. Everything that is built goes under build/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Directories are listed too, so that a file taken away counts as a change. Manual
# pages are not: they change after every `make docs`, and no code with them.
PARTS   := $(wildcard DESCRIPTION NAMESPACE LICENSE R src inst data man)
SOURCES := $(shell find $(filter-out man,$(PARTS)) -not -name '*.o' -not -name '*.so')
CORE    := $(shell find src -name '*.h*' -o -name '*.cpp' -o -name 'Makevars*' -o -type d)
CPP     := $(shell find src tests/cpp bench -name '*.[ch]pp' -not -name RcppExports.cpp -o -name '*.h')

LIBRARY   := build/library
INSTALLED := $(LIBRARY)/.installed

.PHONY: help demo test check format lint coverage docs site bench evidence fuzz sanitize tidy
.PHONY: reproduce endure evidence-full clean force core

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

demo: ## install the package for you, fit an example and draw it
	@tools/setup run
	@$(MAKE) -s build/installed-for-user
	@mkdir -p build
	@Rscript tools/demo.R build/demo.png

# What every change needs: four minutes of the processor from a clean clone, half of it to compile the
# package. TESTS=all adds the slow R tests (skip_if_quick()) and the C++ tests, most of whose time is
# the compiler's.
test: ## run the R tests but for slow ones; with TESTS=all, all R and C++ tests
	@tools/setup test
	@mkdir -p build
	@rm -f build/test-r.log build/test-cpp.log
	@$(if $(filter all,$(TESTS)),tools/run-cpp-tests 2>&1 | tee build/test-cpp.log || true, \
	  echo "0 passed, 0 failed" >build/test-cpp.log)
	@$(MAKE) -s $(INSTALLED) && cd tests && BTG_TESTS=$(or $(TESTS),quick) \
	  NOT_CRAN=true R_LIBS=../$(LIBRARY) Rscript testthat.R 2>&1 | tee ../build/test-r.log || true
	@# Tests that end without a summary have failed.
	@touch build/test-r.log build/test-cpp.log && awk ' \
	  function number_after(word) { match($$0, word " [0-9]+"); return substr($$0, RSTART + 5) + 0 } \
	  FILENAME ~ /cpp/ && /^[0-9]+ passed, [0-9]+ failed$$/ { cpp = 1; passed = $$1; failed = $$3 } \
	  /^\[ FAIL [0-9]/ { r = 1; r_passed = number_after("PASS"); r_failed = number_after("FAIL") } \
	  END { failed += r_failed + !cpp + !r; \
	        print passed + r_passed " passed, " failed " failed"; exit failed > 0 } \
	' build/test-cpp.log build/test-r.log

# With EIGEN_INCLUDE, Eigen's directory, and the system's Boost, it needs no R.
core: ## build the C++ core without R, and run the example of its use in bench/core
	@includes=$$(tools/run-cpp-tests --includes) && \
	$(MAKE) -s -j $(or $(JOBS),2) -f tools/core.mk OUT=build/cpp \
	  INCLUDES="$${includes//$$'\n'/ }" build/cpp/example/predict
	@build/cpp/example/predict

fuzz: ## try random ugly problems, PROBLEMS of them from seed FIRST on
	@tools/setup run
	@$(MAKE) -s $(INSTALLED)
	@R_LIBS=$(LIBRARY) Rscript tests/fuzz/fuzz.R --problems=$(or $(PROBLEMS),300) --first=$(or $(FIRST),1)

# Results with another BLAS, other flags and more threads, to stated tolerances.
reproduce: ## compare results between builds and BLAS
	@tools/setup run
	@$(MAKE) -s $(INSTALLED)
	@tools/install-with-flags unoptimised -O0
	@R_LIBS=$(LIBRARY) Rscript tests/reproducibility/reproduce.R build/unoptimised/library

# Half an hour: what a session goes through that lives long, or has bad luck.
endure: ## look for leaks; interrupts, forks, a full disk, workers that die
	@tools/setup test
	@$(MAKE) -s $(INSTALLED)
	@R_LIBS=$(LIBRARY) Rscript tests/endurance/endure.R
	@R_LIBS=$(LIBRARY) Rscript tests/interrupts/interrupt.R 200 600 1

sanitize: ## run the tests under sanitizers, and a fit in valgrind (an hour)
	@tools/setup test
	@tools/sanitize

tidy: ## look through the C++ code by clang-tidy and cppcheck
	@tools/setup run
	@tools/tidy

check: ## run everything that continuous integration runs
	@.ci/run

format: ## format the C++ code
	@clang-format -i $(CPP)

lint: ## lint the R code
	@Rscript -e 'lints <- lintr::lint_package(); print(lints); quit(status = length(lints) > 0)'

# The R tests on a build that counts: ten minutes or so.
coverage: ## which share of the R and C++ lines the R tests reach
	@tools/setup test
	@Rscript tools/coverage.R build/coverage.csv

# The namespace comes first: how Rcpp names its routines depends on it, and without
# it the package does not install. The manual is written from the installed package,
# so the first pass is silent about what only the second can know.
docs: ## write NAMESPACE, man/ and the Rcpp exports
	@tools/setup check
	@Rscript -e 'quietly <- function(code) suppressMessages(suppressWarnings(code))' \
	  -e 'quietly(roxygen2::roxygenise(roclets = "namespace", load_code = "source"))'
	@Rscript -e 'invisible(Rcpp::compileAttributes("."))'
	@$(MAKE) -s $(INSTALLED)
	@R_LIBS=$(LIBRARY) Rscript -e 'roxygen2::roxygenise(roclets = "rd", load_code = "installed")'

# Runs the examples and the vignettes.
site: ## build the web site into build/site
	@tools/setup site
	@$(MAKE) -s $(INSTALLED)
	@R_LIBS=$(LIBRARY) Rscript tools/site.R >build/site.log 2>&1 || { cat build/site.log; exit 1; }
	@echo "Open build/site/index.html"

# Each takes minutes; DATA names the folder of the paper's data, which some can use.
bench: ## run the quick mode of all benchmarks
	@tools/setup bench
	@$(MAKE) -s $(INSTALLED)
	@status=0; \
	for script in $(filter-out bench/common.R bench/problems.R,$(wildcard bench/*.R)); do \
	  echo "== $$script"; \
	  R_LIBS=$(LIBRARY):build/peers Rscript "$$script" $(if $(DATA),--data="$(DATA)") || status=1; \
	done; exit $$status

# Hours; it can be stopped, and goes on where it was. What was measured on this code is kept.
evidence-full: ## run the full mode of all benchmarks that this code lacks
	@tools/setup bench
	@$(MAKE) -s $(INSTALLED)
	@DATA="$(DATA)" tools/run-benchmarks

# The vignettes *Evidence* and *How it was checked*, and README.md, show what the full benchmarks
# found.
evidence: ## copy results of the benchmarks to the pages that show them
	@Rscript tools/evidence.R
	@cp bench/results/peers-summary.png man/figures/peers.png
	@cp bench/results/peers-summary.png vignettes/articles/evidence
	@cp $(patsubst vignettes/articles/evidence/%,bench/results/%,$(wildcard vignettes/articles/evidence/*.csv)) vignettes/articles/evidence

clean: ## remove everything that was built
	@rm -rf build
	@find src \( -name '*.o' -o -name '*.so' \) -delete

# The package is compiled in a copy of its sources, which keeps src/ clean. Objects
# are kept there from one time to the next, as long as no C++ file changes: R does
# not know what else an object depends on.
build/core: $(CORE)
	@mkdir -p build/package/src
	@find build/package/src \( -name '*.o' -o -name '*.so' \) -delete
	@touch $@

# One at a time, whoever else runs `make` here. Without -g, which Debian's R compiles with: it
# takes half as long again or more.
$(INSTALLED): build/core $(SOURCES)
	@echo "Building the package (a minute or so when C++ changed)"
	@mkdir -p $(LIBRARY)
	@exec 9>build/lock && flock 9 && \
	find build/package -type f -not -name '*.o' -not -name '*.so' -delete && \
	tar -c --exclude='*.o' --exclude='*.so' $(PARTS) | tar -x -C build/package && \
	rm -rf $(LIBRARY)/00LOCK* && \
	{ MAKEFLAGS='-j2 CXX17FLAGS=-O2' R CMD INSTALL --library=$(LIBRARY) build/package >build/install.log 2>&1 || \
	  { cat build/install.log; exit 1; }; }
	@touch $@

# The stamp holds the user's library, in case the package is gone from there.
USER_COPY_GONE := $(shell test -e "$$(cat build/installed-for-user 2>/dev/null)/btg" || echo force)

build/installed-for-user: $(INSTALLED) $(USER_COPY_GONE)
	@tools/setup library >$@.new
	@echo "Installing btg into $$(cat $@.new)"
	@R CMD INSTALL --library="$$(cat $@.new)" $(LIBRARY)/btg >build/install.log 2>&1 || \
	  { cat build/install.log; exit 1; }
	@mv $@.new $@
