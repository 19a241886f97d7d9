import "./by-hand.css";
import { type ByHandNest, byHandCommands } from "./by-hand-commands.ts";

/** How somebody makes a nest on a cluster that the hub does not touch. */
export function ByHand({ nest }: { readonly nest?: ByHandNest }) {
  const { apply, verify, remove } = byHandCommands(location.origin, nest);
  return (
    <div className="by-hand">
      <p>
        The hub never works on such a cluster, and keeps no token or key of a nest on it: it has the record, and
        somebody who reaches the cluster does the rest. Secrets are read from standard input, so that no list of
        processes shows them.
      </p>
      <ol>
        <li>
          Apply its objects
          {nest === undefined ? undefined : (
            <>
              {" "}
              (or apply{" "}
              <a href={`/api/saas/nests/${encodeURIComponent(nest.id)}/manifests`} download={`${nest.id}.yaml`}>
                {nest.id}.yaml
              </a>{" "}
              with <code>kubectl</code> or <code>oc</code>, and fill in its Secret):
            </>
          )}
          <Command>{apply}</Command>
        </li>
        <li>
          See that it is up, with the right security class: <Command>{verify}</Command> Its heartbeats then show it
          online here.
        </li>
        <li>
          To remove it: <Command>{remove}</Command> and delete the nest here.
        </li>
      </ol>
    </div>
  );
}

function Command({ children }: { readonly children: string }) {
  return (
    <pre className="by-hand-command">
      <code>{children}</code>
    </pre>
  );
}
