#!/bin/sh
# Every script must at least be readable by the shell.
set -eu
for script in scripts/*.sh; do sh -n "$script"; done
echo ok
