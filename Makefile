# `make demo` holds a contest; `make test` runs what CI runs. The work is in tools/.

# Rust's own installer does not change the PATH of shells that are already open.
export PATH := $(HOME)/.cargo/bin:$(PATH)

.PHONY: help demo fleet-demo test build release deb bench format

help:
	@echo "make demo    installs compilers, builds, and holds a contest with the sample problems"
	@echo "make fleet-demo  builds a Kubernetes cluster for this machine, once, and holds a contest in its pods"
	@echo "make test    installs everything and runs all checks, as CI does"
	@echo "make build   builds target/release/tauto"
	@echo "make release builds target/dist/tauto, optimised as a whole: what is released and measured"
	@echo "make deb     builds a Debian package, target/deb/tautochrone_*.deb"
	@echo "make bench   installs the tools to compare with, and compares"
	@echo "make format  formats the source"

demo:
	tools/install demo
	tools/build
	tools/demo

fleet-demo:
	tools/install fleet
	tools/build
	cargo xtask fleet-demo

test:
	tools/install test
	tools/check

build:
	tools/build

release:
	tools/build dist

deb:
	tools/build dist
	tools/deb

bench:
	tools/install bench
	tools/build dist
	cargo xtask bench sandbox
	cargo xtask bench judge

format:
	cargo fmt --all
