#!/bin/sh
# Builds the real Helm, with which the tests render deploy/helm/nest-hub, from its published Go modules, into a cache folder outside the
# repository.
#
#   test/real-helm/build.sh            prints the program; builds it when it is not there yet
#   test/real-helm/build.sh -where     prints the program only; exit 1 when it is not there
#
# Needs a Go toolchain and the Go module proxy; 60 MB for the program.
set -eu

version=3.19.0
folder=${NEST_TEST_CACHE:-$HOME/.cache/nest-test}/helm-$version
if [ -x "$folder/helm" ]; then
  echo "$folder/helm"
  exit 0
fi
if [ "${1:-}" = "-where" ]; then
  exit 1
fi
if ! command -v go >/dev/null; then
  echo "test/real-helm: no Go toolchain on this machine" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
export GOWORK=off GOFLAGS=-mod=mod CGO_ENABLED=0
go mod init example.test/helm >/dev/null 2>&1
go get "helm.sh/helm/v3/cmd/helm@v$version" >/dev/null 2>&1 || go get "helm.sh/helm/v3/cmd/helm@v$version" >&2
go build -trimpath -ldflags "-s -w" -o helm helm.sh/helm/v3/cmd/helm >&2
mkdir -p "$folder"
mv helm "$folder/helm.part" && mv "$folder/helm.part" "$folder/helm"
echo "$folder/helm"
