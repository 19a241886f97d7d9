#!/bin/sh
# The titles of all notes in a folder: list-trails.sh trails
set -eu
echo "debug: looking into $1" >&2
for note in "$1"/*.md; do
  echo "debug: $note" >&2
  sed -n 's/^# //p' "$note"
done
