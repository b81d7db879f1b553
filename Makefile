# `make demo` holds a contest; `make test` runs what CI runs. The work is in tools/.

# Rust's own installer does not change the PATH of shells that are already open.
export PATH := $(HOME)/.cargo/bin:$(PATH)

.PHONY: help demo test build deb bench format

help:
	@echo "make demo    installs compilers, builds, and holds a contest with the sample problems"
	@echo "make test    installs everything and runs all checks, as CI does"
	@echo "make build   builds the release binary, target/release/tauto"
	@echo "make deb     builds a Debian package, target/deb/tautochrone_*.deb"
	@echo "make bench   installs the tools to compare with, and compares"
	@echo "make format  formats the source"

demo:
	tools/install demo
	tools/build
	tools/demo

test:
	tools/install test
	tools/check

build:
	tools/build

deb:
	tools/build
	tools/deb

bench:
	tools/install bench
	tools/build
	cargo xtask bench sandbox
	cargo xtask bench judge

format:
	cargo fmt --all
