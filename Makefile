# `make help` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help setup demo test format lint bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what is missing
	@scripts/setup

demo: setup ## Run the whole path and keep serving; ONCE=1 checks itself and exits
	@scripts/demo

test: ## Run every test
	@scripts/test

format: ## Format the Swift sources
	swift format -i -r Package.swift $(wildcard Sources Tests Plugins Examples Benchmarks Integrations)

lint: ## Check the format and the architecture
	swift format lint --strict -r Package.swift $(wildcard Sources Tests Plugins Examples Benchmarks Integrations)
	swift build --product daybook-definitions
	@scripts/check-architecture

bench: ## Run the benchmarks; ARGS="--quick" for the scale alone
	swift run -c release --package-path Benchmarks DaybookBenchmarks $(ARGS)
	swift build -c release --product daybook
	swift run -c release IngestBenchmarks

clean: ## Remove everything that was built
	rm -rf .build .build-* .venv
