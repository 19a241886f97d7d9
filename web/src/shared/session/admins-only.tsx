import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Loading } from "../states/states.tsx";
import { signInAddress, useWho } from "./session.ts";

/** Shows its content to admins, and to others why they do not see it. The hub itself refuses others whatever is shown here. */
export function AdminsOnly({ what, children }: { readonly what: string; readonly children: ReactNode }) {
  const who = useWho();
  if (who === undefined) return <Loading />;
  if (who.hub_admin) return children;
  return (
    <div className="lead closed">
      <h1>{what}</h1>
      {who.authenticated ? (
        <p>
          This is for admins of this hub, and <bdi>{who.login}</bdi> is none. Who runs the hub names them in{" "}
          <code>NEST_HUB_ADMINS</code>.
        </p>
      ) : (
        <>
          <p>This is for admins of this hub.</p>
          <Button component="a" href={signInAddress()}>
            Sign in
          </Button>
        </>
      )}
    </div>
  );
}
