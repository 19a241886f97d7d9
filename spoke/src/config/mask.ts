import { variableOf } from "@nest/kit";
import { isTree, type Path } from "./leaves.ts";

/** What is shown in place of a secret, and what leaves it as it is where it is sent back. */
export const MASK = "[secret]";

const SECRET_KEY =
  /(?:^|_)(?:token|secret|password|passphrase|pass|private_key|api_key|access_key|credential|credentials)$/;
/** Secrets that stand where they do not belong: code-host tokens, private keys, addresses with a password in them. */
const SECRET_TEXT = /\bgh[a-z]_[A-Za-z0-9]{16,}|\bgithub_pat_|-----BEGIN [A-Z ]*PRIVATE KEY|:\/\/[^/@\s]*:[^/@\s]+@/;

/** Whether a key of this name holds a secret. Names of variables and files are none. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase());
}

/** A value of the configuration as it may be shown, logged and audited: `[secret]` in place of each secret. Pure. */
export function masked(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((entry) => masked(entry, key));
  if (isTree(value)) {
    // What stands below a secret's key is one too.
    const nameOf = (name: string) => (isSecretKey(key) ? key : name);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner, nameOf(name))]));
  }
  if (typeof value === "string") return hides(value, key) ? MASK : value;
  return (typeof value === "number" || typeof value === "bigint") && isSecretKey(key) ? MASK : value;
}

/** A value under its path as it may be shown: what stands below a secret's key is one too. Pure. */
export function maskedAt(value: unknown, path: Path): unknown {
  if (value === null || value === undefined) return value;
  return path.slice(0, -1).some(isSecretKey) ? MASK : masked(value, path.at(-1));
}

function hides(text: string, key: string): boolean {
  // The name of a variable is what the owner needs to see.
  if (text === "" || variableOf(text) !== undefined) return false;
  return isSecretKey(key) || SECRET_TEXT.test(text);
}
