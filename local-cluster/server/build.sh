#!/bin/sh
# Builds the server of the local cluster, which `nest up -hosted` starts and the tests of cluster/ run against: a current
# kube-apiserver, its controller manager and scheduler, and the etcd it expects, each from its published Go modules, with a stub
# kubelet around the real code that serves exec, into a cache folder outside the repository. Nothing of theirs is ever committed.
#
#   local-cluster/server/build.sh            prints the folder with the programs; builds them when they are not there yet
#   local-cluster/server/build.sh -where     prints the folder only; exit 1 when the programs are not there
#
# Needs a Go toolchain and the Go module proxy; about 1.5 GB of disk for the modules and the build, 300 MB for the programs.
set -eu

version=1.36.3
# The last number tells one set of programs from another; raise it when stub-kubelet.go or the list of programs changes.
name=kube-$version-2
cache=${XDG_CACHE_HOME:-$HOME/.cache}
folder=${NEST_TEST_CACHE:-$cache/nest}/$name
programs="etcd kube-controller-manager kube-scheduler stub-kubelet kube-apiserver"
are_there() {
  for program in $programs; do
    [ -x "$1/$program" ] || return 1
  done
}
for built in "$folder" "$cache/nest-test/$name"; do
  if are_there "$built"; then
    echo "$built"
    exit 0
  fi
done
if [ "${1:-}" = "-where" ]; then
  exit 1
fi
if ! command -v go >/dev/null; then
  echo "local-cluster: no Go toolchain on this machine" >&2
  exit 1
fi

here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
export GOWORK=off GOFLAGS=-mod=mod CGO_ENABLED=0
mkdir etcd stub-kubelet
cp "$here/stub-kubelet.go" stub-kubelet/main.go
# Each server of Kubernetes begins with the same few lines around its own command.
server_main() {
  mkdir "$1"
  cat >"$1/main.go" <<GO
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/$1/app"
)

func main() { os.Exit(cli.Run(app.$2())) }
GO
}
server_main kube-apiserver NewAPIServerCommand
server_main kube-controller-manager NewControllerManagerCommand
server_main kube-scheduler NewSchedulerCommand
cat >etcd/main.go <<'GO'
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
GO

# The module of the server replaces its siblings with folders of its own checkout; each is published as v0.<minor>.<patch>.
go mod init example.test/server >/dev/null 2>&1
manifest=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
sed -n 's/^[[:space:]]*\(k8s\.io\/[a-z-]*\) => \.\/staging.*/\1/p' "$manifest" | while read -r sibling; do
  go mod edit -replace "$sibling=$sibling@v0.${version#1.}"
done
go mod edit -go "$(sed -n 's/^go //p' "$manifest")" -require "k8s.io/kubernetes@v$version"
# The other requirements are the server's own, so that what is built is what was tested upstream.
sed -n 's/^[[:space:]]*\([a-z][^ ]*\.[^ ]*\) \(v[^ ]*\).*/\1@\2/p' "$manifest" | grep -v '^k8s\.io/kubernetes' >required
while read -r one; do
  case $one in
    k8s.io/*@v0.0.0) go mod edit -require "${one%@*}@v0.${version#1.}" ;;
    *) go mod edit -require "$one" ;;
  esac
done <required
go mod tidy >/dev/null 2>&1 || go mod tidy >&2

version_flags="-X k8s.io/component-base/version.gitVersion=v$version -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${version#1.}"
mkdir built
go build -trimpath -ldflags "-s -w $version_flags" -o built ./kube-apiserver ./kube-controller-manager ./kube-scheduler >&2
go build -trimpath -ldflags "-s -w" -o built ./etcd ./stub-kubelet >&2

mkdir -p "$folder"
for program in $programs; do
  mv "built/$program" "$folder/$program.part" && mv "$folder/$program.part" "$folder/$program"
done
echo "$folder"
