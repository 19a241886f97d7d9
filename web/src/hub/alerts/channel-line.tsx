import { Button } from "@mantine/core";
import { alerts } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { dateAndTime, plural, shortTime } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { channelKindWords } from "./alert-words.ts";
import { askForChannel, askForSecret } from "./ask-for-channel.ts";

/** One channel: where it leads, how it does, and what can be done with it. */
export function ChannelLine({ channel }: { readonly channel: alerts.AlertChannel }) {
  const { name, kind, config, events, secret, waiting, last_delivered_at: delivered, last_error: failed } = channel;
  const place = config.kind === "email" ? [config.to].flat().join(", ") : config.url;
  return (
    <li className="alert-line">
      <p>
        <b>{name}</b> <span className="mark">{channelKindWords[kind]}</span>
      </p>
      <p className="facts">
        {place ? <span>{place}</span> : undefined}
        <span>told of {plural(events.length, "kind")}</span>
        {config.quiet_hours ? <span>quiet {config.quiet_hours}</span> : undefined}
        {lacksSecret(channel) || secret === "unusable" ? undefined : <span>{secretWords(channel)}</span>}
        <span>{delivered === undefined ? "nothing delivered yet" : `last delivered ${dateAndTime(delivered)}`}</span>
        {waiting > 0 ? <span>{plural(waiting, "message")} waiting</span> : undefined}
      </p>
      {lacksSecret(channel) ? (
        <p className="notice small">Nothing can be delivered yet: no secret saved.</p>
      ) : undefined}
      {secret === "unusable" ? (
        <p className="notice small">Nothing can be delivered: {secretWords(channel)}.</p>
      ) : undefined}
      {failed === undefined ? undefined : (
        <p className="notice small">
          {dateAndTime(failed.at)}: {failed.because}
        </p>
      )}
      <div className="alert-acts">
        <Act name={name} words="Test" act={() => void test(name)} />
        {config.secret && secret !== "unusable" ? undefined : (
          <Act name={name} words="Secret" act={() => askForSecret(channel)} />
        )}
        <Act name={name} words="Change" act={() => askForChannel(channel)} />
        <Act name={name} words="Remove" act={() => askToRemove(name)} />
      </div>
    </li>
  );
}

function Act({ name, words, act }: { readonly name: string; readonly words: string; readonly act: () => void }) {
  return (
    <Button size="compact-sm" variant="default" aria-label={`${words} ${name}`} onClick={act}>
      {words}
    </Button>
  );
}

/** Webhooks are signed with their secret, and that of Slack is the address itself. */
function lacksSecret({ kind, secret }: alerts.AlertChannel): boolean {
  return secret === "missing" && (kind === "webhook" || kind === "slack");
}

function secretWords({ secret, secret_problem: problem, config }: alerts.AlertChannel): string {
  if (secret === "unusable") return problem ?? "its secret cannot be used";
  if (secret === "variable") return `secret in ${config.secret ?? "a variable"}`;
  return secret === "saved" ? "secret saved" : "no secret saved";
}

async function test(name: string): Promise<void> {
  try {
    const { delivered, because, took_ms } = (await call(alerts.testChannel, { params: { name } })).value;
    showToast(
      delivered ? `${name} took the test message (${shortTime(took_ms)}).` : `${name}: ${because ?? "it failed"}`,
    );
  } catch (thrown) {
    showToast(thrown instanceof Error ? thrown.message : "The test message could not be sent.");
  }
  await queries.invalidateQueries({ queryKey: ["alerts"] });
}

function askToRemove(name: string): void {
  openConfirm({
    title: `Remove ${name}?`,
    consequences: "It is told of nothing any more. Its secret and what waits in it are deleted.",
    yes: "Remove it",
    dangerous: true,
    act: async () => {
      await call(alerts.removeChannel, { params: { name } });
      await queries.invalidateQueries({ queryKey: ["alerts"] });
      showToast(`${name} is removed.`);
    },
  });
}
