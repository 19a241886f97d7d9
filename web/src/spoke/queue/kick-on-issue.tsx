import { Select } from "@mantine/core";
import { describeHeldBack, nestAgents, type nestWork } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { FormDialog } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { whyNoKick } from "../agents/agent-words.ts";
import { actOnAgent } from "../live/act-on-agent.ts";
import { useLive } from "../live/live.ts";

/** Asks which agent is set to work on an issue. */
export function KickOnIssue({ item, close }: { readonly item: nestWork.WorkItem; readonly close: () => void }) {
  const agents = useLive((live) => live.agents) ?? [];
  const free = agents.filter((agent) => whyNoKick(agent) === undefined);
  const [name, setName] = useState(free[0]?.name ?? "");
  const agent = free.find((one) => one.name === name);
  return (
    <FormDialog
      title={`Set an agent to work on ${item.key}`}
      isOpen
      close={close}
      yes="Set to work"
      isReady={agent !== undefined}
      submit={async () => {
        if (agent === undefined) return;
        const guess = { state: "starting", working_on: item.key } as const;
        const body = { issue: item.key };
        await actOnAgent(agent, guess, () => call(nestAgents.kick, { params: { name: agent.name }, body }));
        showToast(`${agent.name} is set to work on ${item.key}.`);
      }}
    >
      <p className="after">
        <bdi>{item.title}</bdi>
      </p>
      {item.reason === undefined ? undefined : (
        <p className="effect" data-tone="warn">
          It is held back because {describeHeldBack(item.reason).because}. The agent takes it all the same.
        </p>
      )}
      <Select
        data-autofocus
        label="Agent"
        error={free.length === 0 ? "No agent is free: each works, is paused or is switched off." : undefined}
        data={agents.map((one) => {
          const because = whyNoKick(one);
          return {
            value: one.name,
            label: because === undefined ? one.name : `${one.name}: ${because.toLowerCase().replace(/\.$/, "")}`,
            disabled: because !== undefined,
          };
        })}
        value={name === "" ? null : name}
        allowDeselect={false}
        onChange={(value) => setName(value ?? "")}
      />
    </FormDialog>
  );
}
