import { Autocomplete, Checkbox, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { nestAgents } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { FormDialog } from "../../shared/forms/form-dialog.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { actOnAgent } from "../live/act-on-agent.ts";

type NestAgent = nestAgents.NestAgent;

export interface AgentDialogProps {
  readonly agent: NestAgent;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Sets an agent to work now: on what is next for it, on an issue, or on what the person writes. */
export function KickDialog({
  agent,
  isOpen,
  close,
  issue: given = "",
}: AgentDialogProps & { readonly issue?: string }) {
  const [issue, setIssue] = useState(given);
  const [message, setMessage] = useState("");
  const wanted = issue.trim();
  const fault = wanted === "" || ISSUE_KEY.test(wanted) ? undefined : "Write it as owner/name#number.";
  return (
    <FormDialog
      title={`Set ${agent.name} to work`}
      isOpen={isOpen}
      close={close}
      yes="Set to work"
      isReady={fault === undefined}
      submit={async () => {
        const said = message.trim();
        const body = { ...(wanted === "" ? {} : { issue: wanted }), ...(said === "" ? {} : { message: said }) };
        const guess = { state: "starting", working_on: wanted === "" ? "…" : wanted } as const;
        await actOnAgent(agent, guess, () => call(nestAgents.kick, { params: { name: agent.name }, body }));
        showToast(`${agent.name} is set to work.`);
      }}
    >
      <TextInput
        data-autofocus
        label="Issue"
        description="Empty: what is next for this agent."
        placeholder="owner/name#12"
        maxLength={220}
        value={issue}
        error={fault}
        onChange={(event) => setIssue(event.currentTarget.value)}
      />
      <Textarea
        mt="sm"
        label="What to do, in your own words"
        description="It is part of what the agent is told."
        maxLength={4000}
        autosize
        minRows={3}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

const ISSUE_KEY = /^[^/#\s]+\/[^/#\s]+#\d+$/;

const lengths = [
  { value: "", label: "Until somebody resumes it" },
  { value: "30", label: "30 minutes" },
  { value: "120", label: "2 hours" },
  { value: "480", label: "8 hours" },
  { value: "1440", label: "A day" },
  { value: "10080", label: "A week" },
];

/** Pauses an agent, with a note and an end. */
export function PauseDialog({ agent, isOpen, close }: AgentDialogProps) {
  const [reason, setReason] = useState("");
  const [minutes, setMinutes] = useState("");
  const [stop, setStop] = useState(false);
  return (
    <FormDialog
      title={`Pause ${agent.name}`}
      isOpen={isOpen}
      close={close}
      yes="Pause"
      submit={async () => {
        const note = reason.trim();
        const length = minutes === "" ? {} : { minutes: Number(minutes) };
        const body = { ...(note === "" ? {} : { reason: note }), ...length, ...(stop ? { stop } : {}) };
        const pause = { cause: "person", reason: note || "paused by you", since: new Date().toISOString() } as const;
        const guess = { pause, ...(agent.run_id === undefined ? { state: "paused" as const } : {}) };
        const params = { name: agent.name };
        await actOnAgent(agent, guess, () => call(nestAgents.pause, { params, body, deadlineMs: STOP_MS }));
        showToast(`${agent.name} is paused.`, () =>
          actOnAgent(agent, { state: "waiting" }, () => call(nestAgents.resume, { params })),
        );
      }}
    >
      <TextInput
        data-autofocus
        label="Why"
        description="Everybody who looks at this agent reads it."
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Select
        mt="sm"
        label="For how long"
        data={lengths}
        value={minutes}
        allowDeselect={false}
        onChange={(value) => setMinutes(value ?? "")}
      />
      <Checkbox
        mt="md"
        label="End the run in progress as well"
        description={agent.run_id === undefined ? "None is in progress." : "Otherwise it goes on to its end."}
        disabled={agent.run_id === undefined}
        checked={stop}
        onChange={(event) => setStop(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

/** Ending a run takes until its processes are gone. */
const STOP_MS = 60_000;

const backends = ["claude", "copilot", "goose", "bob", "codex", "pi", "aider", "litellm", "agy"];

/** Switches an agent's backend and model, or the agent itself on or off. */
export function SwitchDialog({ agent, isOpen, close }: AgentDialogProps) {
  const [backend, setBackend] = useState(agent.backend);
  const [model, setModel] = useState(agent.model ?? "");
  const [enabled, setEnabled] = useState(agent.enabled);
  const change = {
    ...(backend.trim() === agent.backend ? {} : { backend: backend.trim() }),
    ...(model.trim() === (agent.model ?? "") ? {} : { model: model.trim() === "" ? null : model.trim() }),
    ...(enabled === agent.enabled ? {} : { enabled }),
  };
  return (
    <FormDialog
      title={`Switch ${agent.name}`}
      isOpen={isOpen}
      close={close}
      yes="Switch"
      isReady={Object.keys(change).length > 0 && backend.trim() !== ""}
      submit={async () => {
        const guess = { backend: backend.trim(), enabled };
        await actOnAgent(agent, guess, () =>
          call(nestAgents.switchAgent, { params: { name: agent.name }, body: change }),
        );
        showToast(`${agent.name} is switched, from its next run.`);
      }}
    >
      <Autocomplete
        data-autofocus
        label="Backend"
        description="The agent CLI that it works with."
        data={backends}
        // The field has the focus at once: a list that opened by itself would take the first Escape.
        openOnFocus={false}
        maxLength={40}
        value={backend}
        onChange={setBackend}
      />
      <TextInput
        mt="sm"
        label="Model"
        description="Empty: the backend's own choice."
        maxLength={200}
        value={model}
        onChange={(event) => setModel(event.currentTarget.value)}
      />
      <Switch
        mt="md"
        label="Switched on"
        checked={enabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
      <p className="soft small after">Saved in the settings. A run in progress ends as it began.</p>
    </FormDialog>
  );
}
