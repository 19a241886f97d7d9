import { Button, PasswordInput } from "@mantine/core";
import { type NotificationKind, nestNotifications } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { dateAndTime, plural, shortTime } from "../../shared/format/format.ts";
import { useSubmit } from "../../shared/forms/confirm.tsx";
import { LoadFailed } from "../../shared/states/states.tsx";
import { attempt } from "../../shared/toast/toast.tsx";
import { secretWords } from "./channel-fields.ts";
import { CHANNELS, type Channel, useChannels } from "./use-channels.ts";

/** A receiver has 10 seconds to answer. */
const TEST_DEADLINE_MS = 25_000;

export interface ChannelPanelProps {
  readonly name: string;
  readonly kind: NotificationKind;
  /** Whether something of this channel is changed and not saved. */
  readonly isChanged: boolean;
}

/** How one channel does, its secret, and the button that tests it. */
export function ChannelPanel({ name, kind, isChanged }: ChannelPanelProps) {
  const channel = useChannels()?.get(name);
  return (
    <div className="channel">
      {channel === undefined ? undefined : <p className="soft small">{stateWords(channel)}</p>}
      {channel?.secret === "variable" ? (
        <p className="soft small">Its secret is in a variable.</p>
      ) : (
        <ChannelSecret name={name} kind={kind} state={channel?.secret ?? "missing"} problem={channel?.secret_problem} />
      )}
      <TestButton name={name} isChanged={isChanged} />
    </div>
  );
}

/** What was delivered, what was not, and what waits. */
function stateWords({ last_delivered_at, last_error, waiting, delivered }: Channel): string {
  const sentences = [
    last_delivered_at === undefined
      ? "Nothing was delivered since the nest started."
      : `${plural(delivered, "message")} delivered, the last one ${dateAndTime(last_delivered_at)}.`,
    last_error === undefined ? "" : `Given up ${dateAndTime(last_error.at)}: ${last_error.because}.`,
    waiting === 0 ? "" : `${plural(waiting, "message")} waiting.`,
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

interface ChannelSecretProps {
  readonly name: string;
  readonly kind: NotificationKind;
  readonly state: Channel["secret"];
  readonly problem: string | undefined;
}

/** Takes a new secret, which is never shown again. */
function ChannelSecret({ name, kind, state, problem }: ChannelSecretProps) {
  const [secret, setSecret] = useState("");
  const params = { name };
  const saving = useSubmit(async () => {
    await call(nestNotifications.setNotificationSecret, { params, body: { secret } });
    setSecret("");
    await queries.invalidateQueries({ queryKey: CHANNELS });
  });
  const remove = async () => {
    await call(nestNotifications.clearNotificationSecret, { params });
    await queries.invalidateQueries({ queryKey: CHANNELS });
  };
  return (
    <form
      className="channel-line"
      onSubmit={(event) => {
        event.preventDefault();
        if (secret !== "") saving.run();
      }}
    >
      <PasswordInput
        label={`Secret of ${name}`}
        description={secretWords[kind]}
        autoComplete="off"
        maxLength={2000}
        placeholder={state === "saved" ? "It is saved, and is not shown" : "None is saved"}
        error={problem}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={secret === ""} loading={saving.isPending}>
        Save the secret
      </Button>
      {state === "saved" ? (
        <Button variant="default" onClick={() => attempt(remove, "The secret is deleted.")}>
          Delete it
        </Button>
      ) : undefined}
      {saving.problem === undefined ? undefined : <LoadFailed problem={saving.problem} />}
    </form>
  );
}

/** Sends a test message and shows what became of it. */
function TestButton({ name, isChanged }: Pick<ChannelPanelProps, "name" | "isChanged">) {
  const [answer, setAnswer] = useState<{ readonly words: string; readonly isGood: boolean }>();
  const { isPending, problem, run } = useSubmit(async () => {
    setAnswer(undefined);
    const given = { params: { name }, deadlineMs: TEST_DEADLINE_MS };
    const { delivered, because, took_ms } = (await call(nestNotifications.testNotification, given)).value;
    const words = delivered ? `Delivered in ${shortTime(took_ms)}.` : `Not delivered: ${because ?? "no reason given"}.`;
    setAnswer({ words, isGood: delivered });
    void queries.invalidateQueries({ queryKey: CHANNELS });
  });
  return (
    <div className="channel-line">
      <Button variant="default" loading={isPending} onClick={run} aria-label={`Send a test over ${name}`}>
        Send a test
      </Button>
      <p role="status" data-tone={answer?.isGood === false ? "bad" : undefined}>
        {answer === undefined ? (isChanged ? "It tests what is saved, not what you changed here." : "") : answer.words}
      </p>
      {problem === undefined ? undefined : <LoadFailed problem={problem} />}
    </div>
  );
}
