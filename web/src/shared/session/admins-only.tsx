import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { LoadingOrFailed } from "../states/states.tsx";
import { signInAddress, useWhoAsked } from "./session.ts";

/** Shows its children to admins and an explanation to others. It protects nothing: the hub checks every request itself. */
export function AdminsOnly({ what, children }: { readonly what: string; readonly children: ReactNode }) {
  const asked = useWhoAsked();
  const who = asked.data;
  if (who === undefined) return <LoadingOrFailed asked={asked} />;
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
