#!/bin/sh
# How many rests a walk needs, one every five kilometres: rest-stops.sh 11
set -eu
km=$1
echo $((km / 5 - 1))
