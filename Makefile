# Short names for everyday work; meson does the building. `make help` lists them.
BUILD ?= build
T ?=

.PHONY: all demo test asan valgrind fuzz bench format install clean help setup-build setup-test

all: $(BUILD)/build.ninja ## build build/thresh and libthresh
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@scripts/setup build
	@meson setup $(BUILD) >/dev/null

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
