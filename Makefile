# Short names for everyday work; meson does the building. Each target installs the Debian packages that it
# needs and that are missing (scripts/setup), so that it can be the only command typed.
BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= lib
FUZZ_SECONDS ?= 60
T ?=
F ?=

CONFIGURE = scripts/configure
# Warnings are errors for those who work on Thresh; a plain `meson setup` leaves them be.
DEV = -Dwerror=true
SANITIZE = -Dbuildtype=debugoptimized -Db_sanitize=address,undefined
# Every engine and every command, in a few minutes under valgrind; and all that runs in several threads.
MEMCHECKED = walk papers seams hits $(addprefix case_,other_pages seams stalker) paths writers labels project verify \
	$(addprefix fuzz_,wrapper repair project import api mcp) $(addprefix golden_,check clusters labels learn lines output \
	project records several show softmealy suggest template wrapper)
THREADED = same_bytes feed_map serve mcp

.DEFAULT_GOAL := all
.PHONY: all demo web pictures test gates asan valgrind tsan coverage fuzz bench wheel format install dist deb deb-test clean help

all: ## build build/thresh and libthresh, static and shared
	@scripts/setup build
	@scripts/web
	@$(CONFIGURE) $(BUILD) $(DEV)
	@ninja -C $(BUILD)

demo: ## build, and show what thresh does
	@scripts/setup demo
	@scripts/web --present
	@$(CONFIGURE) $(BUILD) $(DEV)
	@ninja -C $(BUILD)
	@BUILD=$(BUILD) scripts/demo

web: ## build the workbench's front end
	@scripts/web --must

pictures: ## make the pictures of docs/WORKBENCH.md anew, in a browser
	@scripts/setup browser
	@scripts/web --must
	@$(CONFIGURE) $(BUILD) $(DEV)
	@ninja -C $(BUILD) thresh
	@node tests/web/screenshots.mjs $(BUILD)/thresh docs/workbench --docs $(T)

test: ## run all tests; T=name runs one test or one folder of tests
	@scripts/setup test
	@scripts/setup spark || echo "Without Java the tests of Spark are skipped." >&2
	@scripts/setup browser || echo "Without a browser the workbench's own tests are skipped, or fail where CI is set." >&2
	@scripts/web
	@$(CONFIGURE) $(BUILD) $(DEV) -Dtests=enabled
	@ninja -C $(BUILD)
	@scripts/test $(BUILD) $(T)

gates: ## what CI runs after test: engines and commands under valgrind, threads with the thread sanitizer
	@$(MAKE) valgrind T="$(MEMCHECKED)"
	@$(MAKE) tsan

asan: ## run all tests with address and undefined behaviour sanitizers; T=name as for test
	@scripts/setup test
	@$(CONFIGURE) $(BUILD)-asan $(DEV) -Dtests=enabled -Dpython=enabled $(SANITIZE)
	@ninja -C $(BUILD)-asan
	@UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 scripts/test $(BUILD)-asan --slow $(T)

valgrind: ## run all tests under valgrind; T=name as for test
	@scripts/setup valgrind
	@$(CONFIGURE) $(BUILD)-valgrind $(DEV) -Dtests=enabled -Dbuildtype=debugoptimized
	@ninja -C $(BUILD)-valgrind
	@scripts/test $(BUILD)-valgrind --valgrind $(T)

tsan: ## run what has threads, -j and the server, with the thread sanitizer; T=name as for test
	@scripts/setup test
	@$(CONFIGURE) $(BUILD)-tsan $(DEV) -Dtests=enabled -Dbuildtype=debugoptimized -Db_sanitize=thread
	@ninja -C $(BUILD)-tsan
	@TSAN_OPTIONS=halt_on_error=1 scripts/test $(BUILD)-tsan --slow $(or $(T),$(THREADED))

coverage: ## run all tests and write build-coverage/coverage.md; fails below 90% of the lines of src/
	@scripts/setup coverage
	@$(CONFIGURE) $(BUILD)-coverage -Dtests=enabled -Dbuildtype=debug -Doptimization=g -Db_ndebug=true -Db_coverage=true
	@ninja -C $(BUILD)-coverage
	@find $(BUILD)-coverage -name '*.gcda' -delete
	@GCOV_ERROR_FILE=/dev/null scripts/test $(BUILD)-coverage --slow || echo "A test that failed here alone has seen the profiler's words." >&2
	@scripts/coverage $(BUILD)-coverage --write --lines 90

fuzz: ## fuzz every target for FUZZ_SECONDS=60 each; F=name fuzzes one
	@scripts/setup fuzz
	@CC=clang $(CONFIGURE) $(BUILD)-fuzz -Dfuzz=true -Dtests=disabled -Dbuildtype=debugoptimized
	@ninja -C $(BUILD)-fuzz
	@scripts/fuzz $(BUILD)-fuzz $(FUZZ_SECONDS) $(F)

bench: ## measure; T=name runs one
	@scripts/setup bench
	@$(CONFIGURE) $(BUILD) $(DEV) -Dtests=enabled
	@ninja -C $(BUILD)
	@scripts/test $(BUILD) --bench $(T)

wheel: ## build dist/thresh-*.whl, the Python package
	@scripts/setup python
	@scripts/wheel $(BUILD)

papers: ## measure each table and figure of the papers, and write them into docs/RESULTS.md
	@scripts/setup bench
	@$(CONFIGURE) $(BUILD) $(DEV) -Dtests=enabled
	@ninja -C $(BUILD)
	@python3 bench/papers/run.py $(BUILD) --write docs/RESULTS.md

format: ## format the C code
	@scripts/setup format
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

install: ## install under PREFIX=/usr/local, LIBDIR=lib; DESTDIR is respected
	@scripts/setup build
	@scripts/web
	@$(CONFIGURE) $(BUILD) -Dprefix=$(PREFIX) -Dlibdir=$(LIBDIR)
	@ninja -C $(BUILD)
	@DESTDIR="$(DESTDIR)" meson install -C $(BUILD) --no-rebuild
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

dist: ## make thresh-VERSION.tar.gz: the committed files and the built workbench
	@scripts/dist

deb: ## build the Debian packages into dist/, and check them with lintian
	@scripts/setup deb
	@scripts/deb $(BUILD)

deb-test: deb ## install the packages in a fresh Debian (debootstrap, as root) and use them there
	@scripts/setup deb-test
	@scripts/deb-test $(BUILD)

clean: ## remove the build folders
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-valgrind $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-coverage web/dist web/absent.txt thresh-*.tar.gz dist

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
