#!/bin/sh
# How hard a walk is, by its metres of climb: level.sh 420
set -eu
climb=$1
if [ "$climb" -lt 300 ]; then
  echo easy
elif [ "$climb" -lt 800 ]; then
  echo moderate
else
  echo hard
fi
