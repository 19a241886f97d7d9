import { createPrivateKey } from "node:crypto";
import { NestError, Secret } from "@nest/kit";
import type { NestSecrets } from "./manifests/spec.ts";

/** The part of a create or claim that says how the nest proves itself (spec: Hosted instance create request). */
export interface AuthFields {
  readonly auth_method?: string | undefined;
  readonly github_token?: string | undefined;
  readonly app_id?: string | undefined;
  readonly installation_id?: string | undefined;
  readonly app_private_key?: string | undefined;
}

export interface AuthShape {
  /** What the record keeps. */
  readonly record: { readonly auth_method: string; readonly app_id?: string; readonly installation_id?: string };
  /** What waits, sealed, for the nest's Secret. */
  readonly secrets: NestSecrets;
}

/**
 * The three shapes of a nest's authentication: a token; an app with installation and key; an app whose rest comes later. An empty
 * field counts as absent.
 *
 * @throws NestError `bad_request` naming the field. No value is repeated, it may be a secret.
 */
export function authShapeOf(fields: AuthFields): AuthShape {
  const { auth_method: method, github_token: token, app_id: appId } = present(fields);
  if (method === "app" || (method === undefined && appId !== undefined)) return appShape(present(fields));
  if (token === undefined)
    throw bad("github_token", "required, unless auth_method is app", "give a token, or auth_method app with an app_id");
  if (!/^(?:ghp_|github_pat_)[A-Za-z0-9_]+$/.test(token))
    throw bad("github_token", "must start with ghp_ or github_pat_");
  return { record: { auth_method: "token" }, secrets: { githubToken: new Secret(token) } };
}

function appShape({ app_id: appId, installation_id: installation, app_private_key: key }: AuthFields): AuthShape {
  if (appId === undefined) throw bad("app_id", "required when auth_method is app");
  if (key !== undefined) checkPem(key);
  const secrets = key === undefined ? {} : { appKey: new Secret(key.endsWith("\n") ? key : `${key}\n`) };
  const installed = installation === undefined ? {} : { installation_id: installation };
  const isWhole = key !== undefined && installation !== undefined;
  return { record: { auth_method: isWhole ? "app" : "app-later", app_id: appId, ...installed }, secrets };
}

/** A certificate, a public key or a key cut short would only be noticed in the pod. */
function checkPem(text: string): void {
  try {
    const { asymmetricKeyType } = createPrivateKey({ key: text, format: "pem" });
    if (asymmetricKeyType === "rsa") return;
  } catch {
    // OpenSSL's words may quote the key.
  }
  throw bad(
    "app_private_key",
    "not an RSA private key in PEM form",
    "download the key of the app again, and paste it whole",
  );
}

function present(fields: AuthFields): AuthFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""));
}

function bad(field: string, what: string, hint?: string): NestError {
  return new NestError("bad_request", `${field}: ${what}`, hint === undefined ? {} : { hint });
}
