import { Button, FileButton, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { useRef } from "react";
import { plural } from "../../shared/format/format.ts";
import { Choices } from "./choices.tsx";
import { levelNeeds } from "./levels.ts";
import { type AuthShape, type DraftFaults, keyFault, type NestDraft } from "./nest-draft.ts";

export interface CredentialsProps {
  readonly draft: NestDraft;
  readonly faults: DraftFaults;
  readonly byHand: ByHandOn;
  readonly change: (part: Partial<NestDraft>) => void;
}

/** Clusters that the hub does not touch: what is typed here never reaches a nest on one. */
export interface ByHandOn {
  readonly names: readonly string[];
  /** Whether the nest will live on one of them: it was chosen, or there is no other. */
  readonly isSure: boolean;
}

const shapes: readonly { readonly value: AuthShape; readonly name: string; readonly means: string }[] = [
  {
    value: "token",
    name: "A token",
    means: "Quick: a personal access token that you make at the code host. What agents do there is done in your name.",
  },
  {
    value: "app",
    name: "An app, now",
    means: "The app is installed on these repositories; you have its id, the installation's id and its private key.",
  },
  {
    value: "app-later",
    name: "An app, later",
    means:
      "You have the app's id only. The nest is made and waits in the status error until the app is installed; then choose Try again on its page.",
  },
];

/** How the nest signs in at the code host: three shapes, with what each needs. */
export function Credentials({ draft, faults, byHand, change }: CredentialsProps) {
  const { auth, level } = draft;
  return (
    <div className="stack">
      <NotKept {...byHand} />
      <Choices
        legend="How does it sign in at the code host?"
        name="auth"
        choices={shapes}
        chosen={auth}
        choose={(value) => change({ auth: value })}
      />
      <p className="soft small">
        At level {level} it needs, on these repositories: {levelNeeds(level)}.
      </p>
      {auth === "token" ? (
        <PasswordInput
          label="Token"
          description="It begins with ghp_ or github_pat_. It goes into the nest's Secret and is kept nowhere else."
          autoComplete="off"
          maxLength={400}
          error={faults.token}
          value={draft.token}
          onChange={(event) => change({ token: event.currentTarget.value })}
        />
      ) : (
        <TextInput
          label="App id"
          description="On the app's page at the code host, under About"
          inputMode="numeric"
          autoComplete="off"
          maxLength={20}
          error={faults.appId}
          value={draft.appId}
          onChange={(event) => change({ appId: event.currentTarget.value })}
        />
      )}
      {auth === "app" ? (
        <>
          <TextInput
            label="Installation id"
            description="The number at the end of the installation's address"
            inputMode="numeric"
            autoComplete="off"
            maxLength={20}
            error={faults.installationId}
            value={draft.installationId}
            onChange={(event) => change({ installationId: event.currentTarget.value })}
          />
          <PrivateKey value={draft.key} error={faults.key} change={(key) => change({ key })} />
        </>
      ) : undefined}
    </div>
  );
}

/** Says before anything is typed where it would be lost. */
function NotKept({ names, isSure }: ByHandOn) {
  if (names.length === 0) return undefined;
  return (
    <p className="notice" role="note">
      {isSure ? (
        <>The hub does not touch the cluster of this nest. </>
      ) : (
        <>
          The hub does not touch <bdi>{names.join(", ")}</bdi>. If the nest shall live there:{" "}
        </>
      )}
      What you type here is checked for its form and then <b>dropped</b>: it reaches no nest. So give none that is worth
      anything; <code>ghp_none</code> will do as a token. Whoever reaches the cluster gives the real one to{" "}
      <code>nest instance apply</code> on standard input; the nest's page has the command.
    </p>
  );
}

interface PrivateKeyProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly change: (key: string) => void;
}

/** A key that is there is no longer shown: somebody may look over the shoulder. */
function PrivateKey({ value, error, change }: PrivateKeyProps) {
  const reset = useRef<() => void>(null);
  const isThere = keyFault(value) === undefined;
  const choose = (
    <FileButton
      resetRef={reset}
      accept=".pem,.key,application/x-pem-file"
      onChange={(file) => {
        void file?.text().then(change);
        reset.current?.();
      }}
    >
      {(props) => (
        <Button variant="default" size="compact-sm" {...props}>
          Choose its file
        </Button>
      )}
    </FileButton>
  );
  if (isThere)
    return (
      <div>
        <p>
          Private key: <b>one of {plural(value.trim().length, "character")} is here</b>{" "}
          <Button variant="default" size="compact-sm" onClick={() => change("")}>
            Take it out
          </Button>
        </p>
        {error === undefined ? undefined : <p className="choice-error">{error}</p>}
      </div>
    );
  return (
    <div className="key-field">
      <Textarea
        label="Private key"
        description="Paste it whole, or choose its file. It is read here, sent with the rest when you create the nest, and kept nowhere."
        placeholder="-----BEGIN RSA PRIVATE KEY-----"
        autoComplete="off"
        spellCheck={false}
        className="lines"
        rows={4}
        maxLength={20_000}
        error={error}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {choose}
    </div>
  );
}
