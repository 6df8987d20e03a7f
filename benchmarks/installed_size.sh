#!/bin/sh
# What an installation takes on disk with all it depends on, without bytecode.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${1:-python3}" -m venv --without-pip "$folder/venv"
"${1:-python3}" -m pip --python "$folder/venv/bin/python" install --quiet --no-compile .
find "$folder/venv" -name '__pycache__' -prune -exec rm -rf {} + 2>/dev/null || true
echo "installed with dependencies, without bytecode: $(du -sm "$folder/venv/lib" | cut -f1) MB"
