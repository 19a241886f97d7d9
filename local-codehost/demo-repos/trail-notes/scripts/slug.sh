#!/bin/sh
# The file name that goes with a title: slug.sh "Ridge path" -> ridge-path
set -eu
printf '%s\n' "$1" | tr '[:upper:]' '[:lower:]' | sed -e 's/[^a-z0-9]\{1,\}/-/g' -e 's/^-//' -e 's/-$//'
