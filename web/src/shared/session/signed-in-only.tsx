import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { LoadingOrFailed } from "../states/states.tsx";
import { signInAddress, useWhoAsked } from "./session.ts";

/** Shows its children to whoever is signed in, and the way to the sign-in to others. It protects nothing: the hub checks itself. */
export function SignedInOnly({ what, children }: { readonly what: string; readonly children: ReactNode }) {
  const asked = useWhoAsked();
  const who = asked.data;
  if (who === undefined) return <LoadingOrFailed asked={asked} />;
  if (who.authenticated) return children;
  return (
    <div className="lead closed">
      <h1>{what}</h1>
      <p>This is for whoever is signed in.</p>
      <Button component="a" href={signInAddress()}>
        Sign in
      </Button>
    </div>
  );
}
