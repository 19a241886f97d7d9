import { Button } from "@mantine/core";
import { nestConfig } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { showToast } from "../../shared/toast/toast.tsx";

/** Says which saved values wait for a restart, with a button for it. */
export function RestartNotice({ keys }: { readonly keys: readonly string[] }) {
  if (keys.length === 0) return undefined;
  return (
    <div className="notice restart" role="status">
      <p>Saved, and in force after a restart: {keys.join(", ")}.</p>
      <Button size="compact-md" variant="default" onClick={askToRestart}>
        Restart this nest
      </Button>
    </div>
  );
}

function askToRestart(): void {
  openConfirm({
    title: "Restart this nest?",
    consequences: (
      <ul className="consequences">
        <li>Runs in progress end.</li>
        <li>The pages do not answer for some seconds, then go on by themselves.</li>
      </ul>
    ),
    yes: "Restart",
    dangerous: true,
    act: async () => {
      await call(nestConfig.restartNest);
      showToast("This nest restarts.");
    },
  });
}
