export const USAGE = `usage: nest instance <verb> [flags]

The manual path: hosted nests on a cluster that the hub cannot reach. You have a kubeconfig for the cluster; the hub keeps the
record.

  nest instance render   prints the objects as YAML, in order, for kubectl apply -f - or oc apply -f -
  nest instance apply    applies the same objects through a kubeconfig, and waits for nothing
  nest instance verify   tells whether the rollout is done and the pod has the permissive security class
  nest instance claim    gives a placeholder to its owner: record, configuration, overlay, scale to 1
  nest instance delete   deletes the namespace, and the record where -data is given

which nest:
  -id ID                 its id; render and apply without one make one (hosted-<org>-<repo>-<4>) and tell it on stderr

what it works on (render, apply, claim):
  -owner LOGIN           empty for a placeholder
  -org ORG -repos A,B    the code host's organisation and repositories
  -primary-repo REPO     default: the first of -repos
  -name TEXT             the name that people read
  -level 1..6            ACMM level, default 2
  -private               not listed publicly
  -app-id N -installation-id N   the app; its key comes on stdin. Without an app or token it gets a placeholder id.

where it lives (render, apply):
  -domain DOMAIN         people reach it at <id>.<domain>
  -entrance WORD         route (default) or ingress
  -scc CLASS             security context class that nest-anyuid binds, as anyuid
  -storage-class NAME    a class that offers ReadWriteMany; default: the cluster's own
  -ingress-class NAME, -tls-secret NAME, -oauth-client-id ID
  -image IMAGE           default <NEST_IMAGE_PREFIX>/nest-spoke:stable
  -hub-url URL           the hub's address
  -hub-id ID             default manual; the hub that has the record may adopt it
  -replicas N            0 for a placeholder, else 1

on which cluster (apply, verify, claim, delete):
  -kubeconfig FILE       default: the variable KUBECONFIG; never the file in your home folder
  -context NAME          default: the file's current one

secrets:
  -secrets               read them as JSON from standard input, never from flags:
                         {"hub-secret": "…", "app-key.pem": "…", "github-token": "…", "litellm_api_key": "…", "dashboard-token": "…"}
                         hub-secret is the same for all nests of a hub: copy it from one that works. dashboard-token is made where
                         it is missing; everything else missing is a placeholder. Without -secrets render leaves placeholders.

the hub's record:
  -meta                  render: print meta.json instead of the objects
  -data DIR              apply, claim, delete: write it under DIR, the hub's data folder
  -cluster-id ID         as clusters.json names the cluster

other:
  -wait SECONDS          verify: try again for so long
  -confirm ID            delete: the id once more
  -json                  verify: the answer as JSON

exit codes: 0 done, 1 failed or not as it should be, 2 wrong usage
`;
