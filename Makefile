# `make help` lists the targets.
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
SYSTEM := $(shell uname -s)
ifeq ($(SYSTEM),Darwin)
# So that every `swift build` finds Homebrew's libraries.
export PKG_CONFIG_PATH := $(shell scripts/pkg-config-path)
endif
# The installed command is stripped, so it is built without debug information. On Linux Swift's libraries are linked in, so
# that it needs no Swift where it runs.
RELEASE := -c release --product daybook-cli -debug-info-format none $(if $(filter Linux,$(SYSTEM)),--static-swift-stdlib)

# Records of the benchmark of insights; its rivals (PyPI: duckdb, chdb) are asked where they are installed.
INSIGHTS ?= 1000000
PYTHON ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)

.PHONY: help setup demo install test test-long sanitize fuzz simulate format lint bench docs picture api-check clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what is missing
	@scripts/setup

demo: ## Run the whole path and keep serving; ONCE=1 checks itself and exits
	@scripts/setup demo
	@scripts/demo

install: ## Build the command for release and copy it to PREFIX/bin (/usr/local)
	@scripts/setup build
	swift build $(RELEASE)
	install -d "$(PREFIX)/bin"
	install -s -m 755 "$$(swift build $(RELEASE) --show-bin-path)/daybook-cli" "$(PREFIX)/bin/daybook"

test: ## Run every test; VERBOSE=1 shows what each prints
	@scripts/test $(if $(VERBOSE),--verbose)

test-long: ## The same with many more trials of kills and damage, for the night
	@DAYBOOK_LONG_TESTS=1 scripts/test $(if $(VERBOSE),--verbose)

sanitize: setup ## Run the Swift tests under SANITIZER=address or thread
	@scripts/sanitize $(or $(SANITIZER),thread)

fuzz: ## Give hostile input to everything for SECONDS each; SEED, TARGET and INPUT choose
	ASAN_OPTIONS=exitcode=99:detect_leaks=0 swift run --scratch-path .build-fuzz --sanitize=address Reliability fuzz --seconds $(or $(SECONDS),60) \
		--seed $(or $(SEED),1) $(if $(TARGET),--target $(TARGET)) $(if $(INPUT),--input $(INPUT))

simulate: ## Run random schedules of everything for SECONDS, from SEED on
	swift run Reliability simulate --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1)

format: ## Format the Swift sources
	swift format -i -r Package.swift $(wildcard Sources Tests Plugins Examples Benchmarks Integrations)

lint: ## Check the format and the architecture
	swift format lint --strict -r Package.swift $(wildcard Sources Tests Plugins Examples Benchmarks Integrations)
	swift build --product daybook-definitions
	@scripts/check-architecture

bench: ## Run the benchmarks; ARGS="--quick" for the scale alone
	swift run -c release --package-path Benchmarks DaybookBenchmarks $(ARGS)
	swift run -c release --package-path Benchmarks DefinitionsBenchmarks --builds
	swift build -c release --product daybook-cli
	swift run -c release IngestBenchmarks
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	swift run -c release IngestBenchmarks --insights $(INSIGHTS) --in "$$folder" && \
	$(PYTHON) Benchmarks/insight-rivals "$$folder/insights-$(INSIGHTS).sqlite"
	Benchmarks/client-size

docs: ## Build the documentation site into .build-docs, warnings as errors
	@scripts/docs

picture: ## Draw the modules and their imports into docs/images/architecture.svg
	@python3 scripts/testing/picture.py

api-check: ## Name what breaks in the public API since BASE, a tag or commit
	@scripts/api-check "$(BASE)"

clean: ## Remove everything that was built
	rm -rf .build .build-* .venv
