export const USAGE = `usage: nest-backup <command> [flags]

Disaster recovery of a hub: encrypted archives of everything that is needed to rebuild it.

  run       collect, encrypt, upload, download and verify, then prune to the retention
            -local FILE      write the archive to a file instead
            -skip-spokes     do not read spokes
            -skip-secrets    do not read Secrets: a hub that runs outside of a cluster
            -no-prune        keep all older archives
            -gaps-ok         exit 0 although something is not in the archive
            -less-ok         much less than before is as it should be
            -codec zstd      faster and smaller than gzip, which is the default
  verify    verify the newest archive in the storage
            -file ARCHIVE    a local archive instead
            -name NAME       another archive in the storage
  list      list this hub's archives, the newest first
  extract   decrypt into a directory and verify hashes
            -file ARCHIVE, or -name NAME of one in the storage
            -dest DIR [-path PREFIX] [-force]
  restore   put a hub's archive into an empty data directory, or a spoke's into its own
            -file ARCHIVE, or -name NAME of one in the storage
            [-dest DIR] [-spoke ID] [-dry-run] [-force]
  prune     verify the newest archive, then remove what the retention does not keep
            -dry-run         say what would go and why the rest stays
  status    how old the newest verified archive is; exit 1 when it is too old
            -max-age-hours N (26), -verify
  keygen    print a new key

Every command but keygen takes -json; verify, extract, run and restore need NEST_BACKUP_KEY.

environment:
  NEST_BACKUP_KEY                64 hexadecimal characters; without it there is no backup
  NEST_BACKUP_BUCKET             bucket, or file:///folder
  NEST_BACKUP_OBJSTORE_ENDPOINT  any S3-compatible endpoint; AWS_REGION and the AWS credentials as usual
  NEST_BACKUP_DATA_DIR           the hub's data directory (NEST_DATA_DIR, /data)
  NEST_BACKUP_RETENTION          how many archives are kept (30)
  NEST_BACKUP_LOCK_DAYS          lock each archive for so many days
  NEST_BACKUP_SPOKE_TIMEOUT_S    how long reading one spoke may take (45)
  NEST_BACKUP_METRICS_FILE       where run leaves its figures as Prometheus text
  NEST_HUB_ID                    whose archives these are (<data>/saas/hub-id, the namespace)
  NEST_DATABASE_URL              postgres://…, for a hub that keeps its state there: run reads it, restore fills it
  NEST_HUB_NAMESPACE             where the hub's Secrets are (nest-hub)
  NEST_KUBECONFIG_DIR            kubeconfigs of other clusters (/etc/nest/kubeconfigs)
  KUBECONFIG                     the hub's own cluster, when this does not run in it

exit codes: 0 done · 1 failed · 2 usage or configuration · 3 run: done with gaps · 4 wrong key
            5 archive damaged, hostile or inconsistent
`;
