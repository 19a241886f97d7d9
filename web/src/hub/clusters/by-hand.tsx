import "./by-hand.css";
import { namespaceOf } from "@nest/protocol";

/** How somebody applies a nest's objects on a cluster that the hub does not touch. */
export function ByHand({ nest }: { readonly nest?: string }) {
  const id = nest ?? "NEST";
  const namespace = namespaceOf(id);
  return (
    <div className="by-hand">
      <p>
        The hub never works on such a cluster: it keeps the nest's record and writes down its objects. Somebody who
        reaches the cluster applies them (on OpenShift with <code>oc</code> instead of <code>kubectl</code>):
      </p>
      <ol>
        <li>
          Download the objects of the nest
          {nest === undefined ? " from its page." : ""}{" "}
          {nest === undefined ? undefined : (
            <a href={`/api/saas/nests/${encodeURIComponent(nest)}/manifests`} download={`${nest}.yaml`}>
              {nest}.yaml
            </a>
          )}
        </li>
        <li>
          Apply them: <Command>{`kubectl apply --server-side -f ${id}.yaml`}</Command>
        </li>
        <li>
          Put the real values into its Secret, each from a file of its own, so that none is seen in a list of processes.
          The hub keeps no token or key of a nest on such a cluster:
          <Command>
            {`openssl rand -hex 32 > dashboard-token
kubectl -n ${namespace} create secret generic nest-secrets \\
  --from-file=dashboard-token --from-file=hub-secret \\
  --from-file=github-token --dry-run=client -o yaml |
  kubectl apply --server-side --force-conflicts -f -`}
          </Command>
        </li>
        <li>
          Wait until it answers: <Command>{`kubectl -n ${namespace} rollout status deployment/nest`}</Command> Its
          heartbeats then show it online here.
        </li>
        <li>
          To remove it: <Command>{`kubectl delete namespace ${namespace}`}</Command> and delete the nest here.
        </li>
      </ol>
    </div>
  );
}

function Command({ children }: { readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, also by keyboard
    <pre className="by-hand-command" tabIndex={0}>
      <code>{children}</code>
    </pre>
  );
}
