import type { Environment } from "@nest/kit";

const SECRET_NAME = /(?:TOKEN|KEY|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?)$/i;
const SECRET_PARAMETER = /token|key|secret|password|signature/i;

/**
 * The secrets in an environment, which must never be printed: values of variables with telling names, and credentials inside
 * addresses (`https://user:password@proxy`), whatever the variable's name.
 */
export function secretsIn(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || value === "") return [];
    const parts = value.split(",").map((part) => part.trim());
    const ofName = SECRET_NAME.test(name) && !value.startsWith("/") ? [value, ...parts] : [];
    return [...ofName, ...parts.flatMap(secretsInAddress)].filter((secret) => secret !== "");
  });
}

function secretsInAddress(text: string): readonly string[] {
  if (!text.includes("://") || !URL.canParse(text)) return [];
  const { username, password, host, searchParams } = new URL(text);
  const ofParameters = [...searchParams].flatMap(([name, value]) => (SECRET_PARAMETER.test(name) ? [value] : []));
  if (username === "" && password === "") return ofParameters;
  const [user, pass] = [plain(username), plain(password)];
  const both = `${user}:${pass}`;
  // As written, as sent (basic authentication), and together with the host where the parts are too short to be told from words.
  const joined = [`${username}:${password}`, both, Buffer.from(both).toString("base64"), `${both}@${host}`];
  return [...ofParameters, ...(pass === "" ? [user, username, `${user}@${host}`] : [pass, password, ...joined])];
}

/** A part of an address, percent-decoded; unchanged where it cannot be decoded. */
function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
