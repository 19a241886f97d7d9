#!/bin/sh
# Lists the ships of a log, one a line: the word after the time.
set -eu
while read -r time ship rest; do
  echo "debug: $time $rest" >&2
  echo "$ship"
done < "$1"
