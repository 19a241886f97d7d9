#!/bin/sh
# Host-level backup of a spoke on a container host: the named volume with a throwaway container, and the secrets directory.
#
#   container-host-backup.sh PROJECT SECRETS_DIR OUT_DIR
#
# Writes OUT_DIR/<project>_nest-data-<stamp>.tar.gz and OUT_DIR/<project>-secrets-<stamp>.tar.gz, each 0600 and in one step. They
# are NOT encrypted and hold the app keys and the backup key: keep them where you keep keys. CONTAINER_CLI is docker or podman.
set -eu
umask 077
if [ $# -ne 3 ]; then
  echo "usage: container-host-backup.sh PROJECT SECRETS_DIR OUT_DIR" >&2
  exit 2
fi
project=$1 secrets=$2 out=$3
cli=${CONTAINER_CLI:-docker}
image=${BACKUP_IMAGE:-docker.io/library/debian:stable-slim}
volume=${project}_nest-data
stamp=$(date -u +%Y%m%dT%H%M%SZ)
[ -d "$secrets" ] || { echo "container-host-backup: error: $secrets is no directory" >&2; exit 1; }
"$cli" volume inspect "$volume" >/dev/null || { echo "container-host-backup: error: there is no volume $volume" >&2; exit 1; }
mkdir -p "$out"
trap 'rm -f "$out"/.part-"$stamp"-*' EXIT INT TERM

# Inside the container the files are readable whatever user id the host maps them to.
"$cli" run --rm --network none -v "$volume:/data:ro" "$image" tar -C /data -czf - . >"$out/.part-$stamp-data"
tar -C "$secrets" -czf "$out/.part-$stamp-secrets" .
gzip -t "$out/.part-$stamp-data" "$out/.part-$stamp-secrets"
mv "$out/.part-$stamp-data" "$out/$volume-$stamp.tar.gz"
mv "$out/.part-$stamp-secrets" "$out/$project-secrets-$stamp.tar.gz"
echo "$out/$volume-$stamp.tar.gz"
echo "$out/$project-secrets-$stamp.tar.gz"
