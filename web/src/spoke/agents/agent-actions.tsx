import { nestAgents } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { showError, showToast } from "../../shared/toast/toast.tsx";
import { actOnAgent } from "../live/act-on-agent.ts";
import { ActButton } from "../session/act-button.tsx";
import { KickDialog, PauseDialog, SwitchDialog } from "./agent-dialogs.tsx";
import { isPausedByMode, whyNoKick } from "./agent-words.ts";

type NestAgent = nestAgents.NestAgent;

/** Ending a run and making its terminal anew takes until its processes are gone. */
const RESTART_MS = 60_000;

/** What one can do with an agent. */
export function AgentActions({ agent }: { readonly agent: NestAgent }) {
  const [open, setOpen] = useState<"kick" | "pause" | "switch">();
  const dialog = (which: typeof open) => ({ agent, isOpen: open === which, close: () => setOpen(undefined) });
  const { name, pause } = agent;
  return (
    <div className="card-acts">
      <ActButton
        right="operate"
        label={`Set to work: ${name}`}
        because={whyNoKick(agent)}
        onClick={() => setOpen("kick")}
      >
        Set to work
      </ActButton>
      {pause === undefined || isPausedByMode(agent) ? (
        <ActButton right="operate" label={`Pause ${name}`} onClick={() => setOpen("pause")}>
          Pause
        </ActButton>
      ) : (
        <ActButton right="operate" label={`Resume ${name}`} onClick={() => void resume(agent)}>
          Resume
        </ActButton>
      )}
      <ActButton right="operate" label={`Restart ${name}`} onClick={() => askToRestart(agent)}>
        Restart
      </ActButton>
      <ActButton right="configure" label={`Switch ${name}`} onClick={() => setOpen("switch")}>
        Switch
      </ActButton>
      {open === "kick" ? <KickDialog {...dialog("kick")} /> : undefined}
      {open === "pause" ? <PauseDialog {...dialog("pause")} /> : undefined}
      {open === "switch" ? <SwitchDialog {...dialog("switch")} /> : undefined}
    </div>
  );
}

async function resume(agent: NestAgent): Promise<void> {
  const { pause: _ended, ...rest } = agent;
  const guess = { ...rest, pause: undefined, ...(agent.state === "paused" ? { state: "waiting" as const } : {}) };
  try {
    await actOnAgent(agent, guess as Partial<NestAgent>, () =>
      call(nestAgents.resume, { params: { name: agent.name } }),
    );
    showToast(`${agent.name} goes on.`);
  } catch (thrown) {
    showError(thrown);
  }
}

function askToRestart(agent: NestAgent): void {
  const { name } = agent;
  openConfirm({
    title: `Restart ${name}?`,
    consequences: (
      <ul className="consequences">
        {agent.run_id === undefined ? undefined : <li>The run in progress ends with all its processes.</li>}
        <li>Its terminal begins anew.</li>
        <li>It is set to work again at once, where there is work.</li>
      </ul>
    ),
    yes: "Restart",
    dangerous: agent.run_id !== undefined,
    act: async () => {
      const guess = agent.run_id === undefined ? {} : { state: "stopping" as const };
      await actOnAgent(agent, guess, () => call(nestAgents.restart, { params: { name }, deadlineMs: RESTART_MS }));
      showToast(`${name} was restarted.`);
    },
  });
}
