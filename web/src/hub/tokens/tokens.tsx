import "./tokens.css";
import { Button, CopyButton } from "@mantine/core";
import { apiTokens } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { dateAndTime, duration } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { type Made, openMakeToken } from "./make-token.tsx";

/** A token that ends sooner than this is marked: somebody has to make another. */
const SOON_MS = 7 * 24 * 3_600_000;

/** The API tokens of the hub: made here, shown once, revoked here. */
export function Tokens() {
  const [made, setMade] = useState<Made>();
  const { data, error, refetch } = useQuery({
    queryKey: ["api-tokens"],
    queryFn: async ({ signal }) => (await call(apiTokens.list, { signal })).value.tokens,
    staleTime: 0,
  });
  return (
    <>
      <div className="page-head">
        <h1>API tokens</h1>
        <div className="controls">
          <Button component="a" href="/api/docs" variant="default">
            Read the API
          </Button>
          <Button onClick={() => openMakeToken(setMade)}>Make a token</Button>
        </div>
      </div>
      {made === undefined ? undefined : <NewToken made={made} done={() => setMade(undefined)} />}
      <section className="panel" aria-label="API tokens">
        {error !== null && data === undefined ? (
          <LoadFailed problem={error} again={() => void refetch()} />
        ) : data === undefined ? (
          <Loading rows={5} />
        ) : data.length === 0 ? (
          <Empty>No token yet. With one, a script does what you do here; nest hubctl is made for that.</Empty>
        ) : (
          <ul className="plain-list">
            {data.map((token) => (
              <TokenLine key={token.id} token={token} />
            ))}
          </ul>
        )}
      </section>
      <p className="soft small token-note">
        A token is sent as Authorization: Bearer. It makes no other token and reads no secret. It loses its power when
        whoever made it is no longer an admin.
      </p>
    </>
  );
}

function NewToken({ made: { token, about }, done }: { readonly made: Made; readonly done: () => void }) {
  return (
    <section className="panel new-token" aria-labelledby="new-token-title" role="status">
      <header className="panel-head">
        <h2 id="new-token-title">The token {about.name}, shown this once</h2>
      </header>
      <div className="pad stack">
        <p className="small">Put it where the script finds it, as NEST_HUB_TOKEN. Nobody can show it again.</p>
        <pre data-testid="new-token">
          <code>{token}</code>
        </pre>
        <div className="line">
          <CopyButton value={token}>
            {({ copied, copy }) => <Button onClick={copy}>{copied ? "Copied" : "Copy"}</Button>}
          </CopyButton>
          <Button variant="default" onClick={done}>
            I have it
          </Button>
        </div>
      </div>
    </section>
  );
}

function TokenLine({ token }: { readonly token: apiTokens.ApiToken }) {
  const now = useServerNow();
  const { id, name, scope, prefix, made_by: madeBy, made_at: madeAt, used_at: usedAt, state } = token;
  return (
    <li className="token-line">
      <div>
        <p>
          <b>
            <bdi>{name}</bdi>
          </b>{" "}
          <span className="mark">{scope}</span> <EndMark token={token} now={now} />
        </p>
        <p className="soft small">
          <code>{prefix}…</code>
        </p>
      </div>
      <p className="facts">
        <span>
          by <bdi>{madeBy}</bdi> {dateAndTime(madeAt)}
        </span>
        <span>{usedAt === undefined ? "never used" : `used ${usedWords(now - Date.parse(usedAt))}`}</span>
        <span>{endWords(token)}</span>
      </p>
      <div className="card-acts">
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${state === "active" ? "Revoke" : "Remove"} ${name}`}
          onClick={() => askToRevoke(id, name)}
        >
          {state === "active" ? "Revoke" : "Remove"}
        </Button>
      </div>
    </li>
  );
}

function EndMark({ token, now }: { readonly token: apiTokens.ApiToken; readonly now: number }) {
  const { state, ends_at: end } = token;
  if (state === "ended") return <Mark tone="warn" words="ended" />;
  if (state === "powerless") return <Mark tone="bad" words="without power: its maker is no admin" />;
  if (end === undefined) return <Mark tone="warn" words="no end" />;
  const left = Date.parse(end) - now;
  return left < SOON_MS ? <Mark tone="warn" words={`ends in ${duration(left)}`} /> : undefined;
}

function Mark({ tone, words }: { readonly tone: string; readonly words: string }) {
  return (
    <span className="mark" data-tone={tone}>
      {words}
    </span>
  );
}

function usedWords(agoMs: number): string {
  return agoMs < 60_000 ? "within the last minute" : `${duration(agoMs)} ago`;
}

function endWords({ ends_at: end, state }: apiTokens.ApiToken): string {
  if (end === undefined) return "has no end";
  return `${state === "ended" ? "ended" : "ends"} ${dateAndTime(end)}`;
}

function askToRevoke(id: string, name: string): void {
  openConfirm({
    title: `Revoke ${name}?`,
    consequences: "Whatever uses it is refused from this moment on. It cannot be brought back: make another one.",
    yes: "Revoke it",
    dangerous: true,
    act: async () => {
      await call(apiTokens.revoke, { params: { id } });
      await queries.invalidateQueries({ queryKey: ["api-tokens"] });
      showToast(`${name} is revoked.`);
    },
  });
}
