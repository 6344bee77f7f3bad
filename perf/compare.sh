#!/usr/bin/env bash
# Runs BenchmarkConvert and sets it beside perf/baseline.txt:
#
#	perf/compare.sh                 # all corpora
#	perf/compare.sh corpus=oltp     # what matches
#	perf/compare.sh -update         # record a new baseline
#
# The baseline is of another hour and maybe another machine: for a fair answer
# compare revisions in one run, `go run ./cmd/cdcbench compare --rev A,B`.
set -euo pipefail
cd "$(dirname "$0")/.."
count=${COUNT:-6}

bench() { go test -run '^$' -bench "BenchmarkConvert/$1" -benchtime 300ms -count "$count" -cpu 1 .; }

if [ "${1-}" = -update ]; then
	bench . | tee perf/baseline.txt
	exit
fi
new=$(mktemp)
trap 'rm -f "$new"' EXIT
bench "${1:-.}" >"$new"
go tool -modfile=tools/go.mod benchstat perf/baseline.txt "$new"
