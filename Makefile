# The short ways in; CMakeLists.txt and CMakePresets.json do the work.
#
#   make           build/dalembert
#   make demo      install what is missing, build, run a model and show what was written
#   make check     install what is missing, build with warnings as errors, run every test plain and under the
#                  sanitizers, and every fuzz target for FUZZ_SECONDS
#   make check-long     what is sampled there, wider: half an hour; each of its programs has everything behind the argument `full`
#   make install   to PREFIX (/usr/local), below DESTDIR
#   make validation     doc/validation.md again
#   make agreement      doc/agreement.md again: how well the formulations agree
#   make documentation  what the commands in the pages print, and the pictures, again
#   make bench     forward and inverse dynamics, mass matrix and loops against MuJoCo and Simbody: a table of ratios
#                  (PAGE=doc/benchmarks.md: into that page as well; ROUNDS=1: in a hurry)
#   make bench-formulations  what one acceleration costs under every formulation: time and instructions
#   make bench-study  what a study costs beside a loop in C, on one core and on two, and the memory of a million rows
#   make bench-vary  what a varied system costs beside one that is compiled, or read and compiled: instructions
#   make bench-generated  generated code beside the engine and beside C written by hand, scalar and in lanes
#   make bench-python  what a call from Python costs beside C
#   make study-baumgarte  doc/studies/baumgarte.md again: drift and error against Baumgarte's gains
#   make study-natural    doc/studies/natural-eliminated.md again: what it saves to eliminate linear rows, counted by valgrind
#   make work-precision   doc/studies/work-precision.md again: error against CPU time under every integrator
#   make gallery   a page for every model, and an index in which all of them move: results/gallery/index.html
#   make python    the package for Python in build/python, for PYTHONPATH
#   make wheel     the package for Python as a wheel: dist/dalembert-VERSION-cp311-abi3-linux_x86_64.whl
#   make format    clang-format over the sources
#   make clean

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 10
PREFIX ?= /usr/local
ROUNDS ?= 5

# A build folder keeps the generator it was made with.
ifneq ($(shell command -v ninja 2>/dev/null),)
export CMAKE_GENERATOR ?= Ninja
endif

# configure if needed, and build: $(call build,preset,folder[,targets])
build = { [ -f $(2)/build.ninja ] || [ -f $(2)/Makefile ] || cmake --preset $(1); } && cmake --build $(2) -j $(JOBS) $(3)

all:
	@$(call build,default,build,--target program)

demo:
	@tools/install-packages
	@$(MAKE) --no-print-directory all
	@mkdir -p results
	build/dalembert run models/four-bar.yaml -o results/four-bar.csv -o results/four-bar.h5
	@ls -l results/four-bar.csv results/four-bar.h5
	@echo; head -n 4 results/four-bar.csv | cut -d, -f1-4
	@build/dalembert run models/four-bar.yaml -q -o results/four-bar.html
	@echo; echo "The mechanism moves in results/four-bar.html. Open the page in a browser: xdg-open results/four-bar.html"
	@echo "Next: build/dalembert watch models/four-bar.yaml --open, and the tutorial, doc/tutorial.md."

check: install-packages check-plain check-fuzz check-sanitize

install-packages:
	@tools/install-packages

check-plain: install-packages
	@$(call build,check,build-check)
	ctest --preset check

check-fuzz: install-packages check-plain
	@if echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' \
	    | clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null; then \
	    $(call build,fuzz,build-fuzz) && tools/fuzz build-fuzz $(FUZZ_SECONDS); \
	else echo 'clang with libFuzzer is missing: no fuzzing'; fi

check-sanitize: install-packages check-fuzz
	@$(call build,sanitize,build-sanitize)
	ctest --preset sanitize

check-long: install-packages
	@$(call build,check,build-check)
	ctest --preset long

install:
	@$(call build,default,build)
	cmake --install build --prefix $(PREFIX)

validation: all
	tools/validation build/dalembert doc/validation.md

agreement:
	@$(call build,check,build-check,--target test_formulations --target test_small_motions)
	tools/agreement build-check/test/test_formulations doc/agreement.md
	tools/small-motions build-check/test/test_small_motions doc/small-motions.md

documentation: validation agreement
	tools/refresh-documentation build/dalembert README.md $(addprefix doc/,tutorial.md evidence.md compare.md check.md page.md equations.md derive.md reactions.md linearize.md sweep.md sweep-tutorials.md response.md equilibrium.md modes.md \
	    stabilization-and-integrators.md troubleshooting.md coordinates.md actuators.md joint-types.md) \
	    $(wildcard doc/formulations/*.md doc/components/*.md)
	tools/pictures build/dalembert

bench:
	@tools/install-packages g++ libmujoco-dev libsimbody-dev || echo 'going on with the engines that are there'
	@cmake --preset default -DDAL_BENCH=ON >/dev/null && cmake --build build -j $(JOBS) --target bench_programs
	@bench/run.sh build/bench $(ROUNDS) $(PAGE)

gallery: all
	@mkdir -p results
	build/dalembert gallery $(sort $(wildcard models/*.yaml models/joints/*.yaml models/machines/*.yaml models/*.urdf)) -o results/gallery

bench-formulations:
	@$(call build,default,build,--target program bench_formulations)
	@bench/formulations.sh build/bench_formulations build/dalembert

bench-study:
	@$(call build,default,build,--target program bench_study)
	@bench/study.sh build/bench_study build/dalembert

bench-vary:
	@$(call build,default,build,--target bench_vary)
	@bench/vary.sh build/bench_vary

bench-generated:
	@$(call build,default,build,--target bench_generated)
	@mkdir -p -m 700 build/code-cache && XDG_CACHE_HOME=$(CURDIR)/build/code-cache build/bench_generated models

bench-python:
	@$(call build,default,build,--target python_package bench_batch)
	@PYTHONPATH=build/python /usr/bin/python3 bench/python.py build/bench_batch

study-baumgarte: all
	tools/study-baumgarte build/dalembert doc/studies/baumgarte.md

study-natural: all
	tools/study-natural build/dalembert doc/studies/natural-eliminated.md

work-precision:
	@$(call build,default,build,--target program bench_work_precision)
	tools/work-precision build doc/studies/work-precision.md

python:
	@$(call build,default,build,--target python_package)
	@echo "The package is in build/python: export PYTHONPATH=$$PWD/build/python makes 'import dalembert' work."

wheel:
	@$(call build,default,build,--target python_package)
	@tools/wheel build dist $$(sed -n 's/^project(dalembert VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

format:
	clang-format -i $$(find include src test examples bench tools python -name '*.[ch]')

clean:
	rm -rf build build-check build-debug build-sanitize build-clang build-fuzz results dist

.PHONY: all demo python check install-packages check-plain check-fuzz check-sanitize check-long install validation agreement documentation bench bench-formulations bench-study bench-vary bench-generated bench-python study-baumgarte study-natural work-precision wheel format clean
