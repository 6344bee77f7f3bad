#!/usr/bin/env bash
# Counts the instructions that Transcoder.Append takes per Entry of a corpus, and
# holds them to perf/instructions.txt. A count does not depend on how busy the
# machine is. It depends a little on the Go version: `perf/instructions.sh
# -update` records anew, after a look at why.
#
#	corpus  path     instructions per Entry
#
# It needs valgrind (callgrind) on linux/amd64, and is skipped without.
set -euo pipefail
cd "$(dirname "$0")/.."
tolerance=5 # percent
file=perf/instructions.txt

if ! command -v valgrind >/dev/null || [ "$(go env GOARCH)" != amd64 ]; then
	echo "instructions: skipped, no valgrind here"
	exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
go test -tags valgrind -c -o "$tmp/bench" .

count() { # corpus path entries
	GOGC=off GODEBUG=asyncpreemptoff=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		--toggle-collect='github.com/cdcodec/cdcodec.(*Transcoder).Append' \
		"$tmp/bench" -test.run '^$' -test.bench "Convert/corpus=$1/path=$2\$" -test.benchtime "$3x" -test.cpu 1 2>&1 |
		sed -n 's/.*Collected : //p'
}

status=0
: >"$tmp/now"
for row in "oltp fused 5000" "oltp general 2000" "wide fused 1000"; do
	read -r corpus path entries <<<"$row"
	now=$(($(count "$corpus" "$path" "$entries") / entries))
	printf '%s\t%s\t%s\n' "$corpus" "$path" "$now" >>"$tmp/now"
	was=$(awk -v c="$corpus" -v p="$path" '$1 == c && $2 == p { print $3 }' "$file" 2>/dev/null || true)
	verdict=ok
	if [ "${1-}" != -update ]; then
		if [ -z "$was" ]; then
			verdict="not recorded" status=1
		elif [ $((now * 100)) -gt $((was * (100 + tolerance))) ]; then
			verdict="more than $tolerance % above" status=1
		elif [ $((now * 100)) -lt $((was * (100 - tolerance))) ]; then
			verdict="better by more than $tolerance %: record it"
		fi
	fi
	printf '%-6s %-8s %7d per Entry, recorded %7s: %s\n' "$corpus" "$path" "$now" "${was:--}" "$verdict"
done
if [ "${1-}" = -update ]; then
	cp "$tmp/now" "$file"
fi
exit $status
