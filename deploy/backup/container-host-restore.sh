#!/bin/sh
# Restores what container-host-backup.sh wrote: makes the named volume anew, fills it, fills the secrets directory. Start the stack
# afterwards; its entry point brings the runtime configuration back at boot.
#
#   container-host-restore.sh PROJECT VOLUME_ARCHIVE SECRETS_ARCHIVE SECRETS_DIR
set -eu
umask 077
if [ $# -ne 4 ]; then
  echo "usage: container-host-restore.sh PROJECT VOLUME_ARCHIVE SECRETS_ARCHIVE SECRETS_DIR" >&2
  exit 2
fi
project=$1 data_archive=$2 secrets_archive=$3 secrets=$4
cli=${CONTAINER_CLI:-docker}
image=${BACKUP_IMAGE:-docker.io/library/debian:stable-slim}
volume=${project}_nest-data
gzip -t "$data_archive" "$secrets_archive"
if "$cli" volume inspect "$volume" >/dev/null 2>&1; then
  echo "container-host-restore: error: the volume $volume exists already; remove it first, it is not overwritten" >&2
  exit 1
fi
if [ -d "$secrets" ] && [ -n "$(ls -A "$secrets")" ]; then
  echo "container-host-restore: error: $secrets is not empty; it is not overwritten" >&2
  exit 1
fi
"$cli" volume create "$volume" >/dev/null
"$cli" run --rm -i --network none -v "$volume:/data" "$image" tar -C /data -xzpf - <"$data_archive"
mkdir -p "$secrets"
tar -C "$secrets" -xzpf "$secrets_archive"
echo "restored $volume and $secrets; start the stack now"
