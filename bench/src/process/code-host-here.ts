import { systemClock } from "@nest/kit";
import { type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";

const TOKEN = "token-of-the-hub";

/** A code host with one repository and no issue, and how a hub is told of it. */
export async function startEmptyCodeHost(
  dataDir: string,
): Promise<{ readonly codeHost: LocalCodeHost; readonly code: { readonly apiUrl: string; readonly token: string } }> {
  const codeHost = await startLocalCodeHost({
    dataDir,
    clock: systemClock(),
    seed: {
      organisations: [],
      tokens: { [TOKEN]: "hub" },
      repositories: [{ owner: "acme", name: "one", description: "", files: {}, issues: [] }],
    },
  });
  return { codeHost, code: { apiUrl: codeHost.apiUrl, token: TOKEN } };
}
