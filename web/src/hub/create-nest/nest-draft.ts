import type { nests } from "@nest/protocol";
import { ownerOf } from "./repository-names.ts";

export type AuthShape = "token" | "app" | "app-later";

/** A nest that somebody describes. It lives in the page's memory alone, because it may hold a token or a key. */
export interface NestDraft {
  /** Each as `owner/name`. */
  readonly repos: readonly string[];
  readonly primary: string;
  readonly level: number;
  readonly auth: AuthShape;
  readonly token: string;
  readonly appId: string;
  readonly installationId: string;
  readonly key: string;
  readonly cluster: string | undefined;
  readonly isPublic: boolean;
  readonly name: string;
  /** To whom a placeholder is given; not asked otherwise. */
  readonly owner: string;
}

export type DraftField = keyof NestDraft;
export type DraftFaults = Readonly<Partial<Record<DraftField, string>>>;

export const emptyDraft: NestDraft = {
  repos: [],
  primary: "",
  level: 2,
  auth: "token",
  token: "",
  appId: "",
  installationId: "",
  key: "",
  cluster: undefined,
  isPublic: true,
  name: "",
  owner: "",
};

/** The steps of the wizard, and the fields that each asks for. */
export const wizardSteps = [
  { id: "repositories", name: "Repositories", fields: ["repos", "primary"] },
  { id: "level", name: "Level", fields: ["level"] },
  { id: "credentials", name: "Credentials", fields: ["auth", "token", "appId", "installationId", "key"] },
  { id: "place", name: "Place and name", fields: ["cluster", "owner", "isPublic", "name"] },
] as const satisfies readonly { readonly id: string; readonly name: string; readonly fields: readonly DraftField[] }[];

/** The index of the step that asks for a field. */
export function stepOf(field: DraftField): number {
  return wizardSteps.findIndex(({ fields }) => (fields as readonly DraftField[]).includes(field));
}

/** What the hub would refuse, by field. */
export function faultsOf(
  draft: NestDraft,
  { isClaim, hasClusters }: { readonly isClaim: boolean; readonly hasClusters: boolean },
): DraftFaults {
  const faults: Partial<Record<DraftField, string>> = {};
  if (draft.repos.length === 0) faults.repos = "name at least one repository";
  if (draft.repos.length > 200) faults.repos = "at most 200 repositories";
  if (isClaim && !/^[A-Za-z0-9._-]{1,100}$/.test(draft.owner.trim()))
    faults.owner = "the login of its owner at the code host";
  if (!isClaim && draft.cluster === undefined)
    faults.cluster = hasClusters ? "choose where it shall live" : "this hub has no cluster yet: an admin adds one";
  return { ...faults, ...authFaults(draft) };
}

function authFaults({ auth, token, appId, installationId, key }: NestDraft): DraftFaults {
  if (auth === "token")
    return /^(?:ghp_|github_pat_)[A-Za-z0-9_]+$/.test(token.trim())
      ? {}
      : { token: token.trim() === "" ? "give a token, or choose an app" : "a token begins with ghp_ or github_pat_" };
  const faults: Partial<Record<DraftField, string>> = {};
  if (!/^\d{1,20}$/.test(appId.trim())) faults.appId = "the id of the app, digits only";
  if (auth === "app-later") return faults;
  if (!/^\d{1,20}$/.test(installationId.trim())) faults.installationId = "the id of the installation, digits only";
  const because = keyFault(key);
  if (because !== undefined) faults.key = because;
  return faults;
}

/** Why a text is not the private key of an app; undefined when it looks like one. The hub reads it properly. */
export function keyFault(key: string): string | undefined {
  const text = key.trim();
  if (text === "") return "paste the app's private key, or choose its file";
  if (/-----BEGIN (?:CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY)-----/.test(text)) return "this is not a private key";
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----/.test(text))
    return "this key is locked with a passphrase: give one without";
  const isWhole = /^-----BEGIN (RSA )?PRIVATE KEY-----\s[A-Za-z0-9+/=\s]+-----END (RSA )?PRIVATE KEY-----$/.test(text);
  return isWhole
    ? undefined
    : "not a whole private key: it begins with -----BEGIN and ends with -----END … PRIVATE KEY-----";
}

/** The part of a create that a claim has too. */
export function projectOf(draft: NestDraft) {
  const { repos, primary, auth, token, appId, installationId, key, level, isPublic, name } = draft;
  const first = repos.includes(primary) ? primary : (repos[0] ?? "");
  const shape =
    auth === "token"
      ? { auth_method: "token", github_token: token.trim() }
      : {
          auth_method: "app",
          app_id: appId.trim(),
          ...(auth === "app" ? { installation_id: installationId.trim(), app_private_key: `${key.trim()}\n` } : {}),
        };
  return {
    org: ownerOf(first),
    repos: repos.join(","),
    primary_repo: first,
    acmm_level: level,
    is_public: isPublic,
    ...(name.trim() === "" ? {} : { project_name: name.trim() }),
    ...shape,
  };
}

const fieldsOfHub: Readonly<Partial<Record<keyof nests.CreateNest | "owner", DraftField>>> = {
  org: "repos",
  repos: "repos",
  primary_repo: "primary",
  project_name: "name",
  acmm_level: "level",
  auth_method: "auth",
  github_token: "token",
  app_id: "appId",
  installation_id: "installationId",
  app_private_key: "key",
  is_public: "isPublic",
  cluster_id: "cluster",
  owner: "owner",
};

/** The field that a refusal of the hub names, as `app_id: digits only`; undefined when it names none. */
export function faultOfAnswer(message: string): DraftFaults | undefined {
  const [, name = "", because = ""] = /^([a-z_]+)(?:\.\d+)?: (.+)$/s.exec(message) ?? [];
  const field = Object.hasOwn(fieldsOfHub, name) ? fieldsOfHub[name as keyof typeof fieldsOfHub] : undefined;
  return field === undefined ? undefined : { [field]: because };
}
