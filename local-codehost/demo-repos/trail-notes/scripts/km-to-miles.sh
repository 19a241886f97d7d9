#!/bin/sh
# Kilometres as miles, with one decimal: km-to-miles.sh 10
set -eu
MILES_PER_KM=0.6
awk -v km="$1" -v factor="$MILES_PER_KM" 'BEGIN { printf "%.1f\n", km * factor }'
