import type { Backend } from "@nest/agents";
import { type Environment, redactor } from "@nest/kit";
import type { RelayConfig } from "./config.ts";

const SECRET_NAME = /(?:TOKEN|KEY|SECRET|PASSWORD)$/;

/** Everything this relay must never say: each becomes `[secret]` in every outgoing field and every log line. */
export class KnownSecrets {
  #known: string[];
  #redact: (text: string) => string;

  constructor(known: readonly string[]) {
    this.#known = [...known];
    this.#redact = redactor(this.#known);
  }

  /** Learns another one: a task's credential. Earlier ones stay known. */
  add(secret: string): void {
    if (this.#known.includes(secret)) return;
    // A day of renewals is enough to remember; the list must not grow for ever.
    this.#known = [...this.#known, secret].slice(-200);
    this.#redact = redactor(this.#known);
  }

  /** The text without any of them. */
  redact(text: string): string {
    return this.#redact(text);
  }
}

/** The secrets known at start: registration tokens and whatever credential the environment holds. */
export function secretsOf(config: RelayConfig, environment: Environment): KnownSecrets {
  const tokens = config.hubs.map(({ token }) => token);
  return new KnownSecrets([...credentialsIn(environment, config.backend), ...tokens].filter((text) => text !== ""));
}

function credentialsIn(environment: Environment, backend: Backend): readonly string[] {
  const named = new Set(backend.credentialVariables);
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined &&
    SECRET_NAME.test(name) &&
    (named.has(name) || /^(?:GH|GITHUB|NEST|HIVE|ANTHROPIC|OPENAI)_/.test(name))
      ? value.split(",")
      : [],
  );
}
