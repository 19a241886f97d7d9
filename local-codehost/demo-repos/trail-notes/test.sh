#!/bin/sh
# Runs every file in tests/. Each calls: expect WANTED COMMAND ARGUMENT...
set -u
cd "$(dirname "$0")" || exit 1
failed=0
expect() {
  wanted=$1
  shift
  got=$("$@" 2>/dev/null)
  if [ "$got" = "$wanted" ]; then
    echo "ok: $*"
  else
    echo "FAILED: $*: wanted '$wanted', got '$got'"
    failed=1
  fi
}
for file in tests/*.sh; do
  . "$file"
done
exit "$failed"
