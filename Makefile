# Countersign. `make demo` opens it, `make test` tests it; both install what they need and say what that is.

SHELL := /bin/bash
UI_STAMP := ui/node_modules/.package-lock.json

# Of `make fuzz`: seconds for each target, and which.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= $(basename $(notdir $(wildcard tests/fuzz/targets/*.rs)))

.PHONY: demo test test-crash lint bench fuzz bundle screenshots deny packages-demo packages-test clean

## Build and open the app with the practice servers. Without a display: a virtual one, and a screenshot in demo.png.
demo: packages-demo ui/dist/index.html
	@bash tests/demo.sh

## Everything that is tested, from formatting to the real window. The last lines name the counts.
test: packages-test $(UI_STAMP)
	@bash tests/interop/servers/setup.sh
	@python3 tests/conformance/run.py --install
	@python3 tests/run.py

## Kills the command line program and the window in 200 random runs and takes up what they left. The last line counts.
test-crash: packages-test ui/dist/index.html
	@python3 tests/crash.py

## The checks that need no run: formatting, clippy, front-end lints and types, licences and sources of crates.
lint: packages-test $(UI_STAMP) deny
	@python3 tests/run.py --only lint

deny:
	@command -v cargo-deny >/dev/null || { echo "Installing cargo-deny (a crate)"; cargo install --locked cargo-deny; }
	cargo deny check bans licenses sources

## Costs as ratios, measured in one run.
bench: $(UI_STAMP)
	@cargo bench --quiet -p countersign-core --bench rounds --bench many --bench store
	@cd ui && npm run --silent bench

## What must hold for any bytes, under libFuzzer on stable Rust. What it finds is kept in tests/fuzz/artifacts.
fuzz: packages-demo
	@command -v cargo-fuzz >/dev/null || { echo "Installing cargo-fuzz (a crate)"; cargo install --locked cargo-fuzz; }
	@failed=; for target in $(FUZZ_TARGETS); do \
	  echo "=== fuzz: $$target, $(FUZZ_SECONDS) s"; \
	  mkdir -p target/fuzz/corpus/$$target; \
	  cargo fuzz run --fuzz-dir tests/fuzz --target-dir target/fuzz --sanitizer none $$target \
	    target/fuzz/corpus/$$target tests/fuzz/corpus/$$target -- -dict=tests/fuzz/words.dict \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 || failed="$$failed $$target"; \
	done; [ -z "$$failed" ] || { echo "Found something:$$failed"; exit 1; }

## The pictures of the README, made by the window tests.
screenshots: packages-test ui/dist/index.html
	@COUNTERSIGN_SCREENSHOTS=docs/screenshots xvfb-run -a -s '-screen 0 1280x900x24' dbus-run-session -- cargo test --workspace --quiet --test window -- --ignored screenshots

## Installable packages for this system, in target/release/bundle.
bundle: packages-demo $(UI_STAMP)
	cd ui && npm run tauri -- build

packages-demo:
	@bash tests/packages.sh demo

packages-test:
	@bash tests/packages.sh test

$(UI_STAMP): ui/package-lock.json
	@echo "Installing the front end's packages (npm ci, in ui/node_modules)"
	@cd ui && npm ci --no-audit --no-fund --loglevel=error

ui/dist/index.html: $(UI_STAMP) $(shell find ui/src ui/index.html ui/vite.config.ts -type f 2>/dev/null)
	@cd ui && npm run --silent build

clean:
	cargo clean
	rm -rf ui/dist ui/node_modules tests/interop/.cache tests/interop/servers/.cache tests/interop/servers/typescript/node_modules tests/conformance/node_modules
