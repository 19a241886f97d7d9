import type { Log } from "@nest/kit";
import { sentenceOf } from "@nest/kit";

const PATIENCE_MS = 10_000;
/** One image or several for different machines, in both spellings; a node resolves a tag to the same digest. */
const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

export interface RegistryDeps {
  readonly fetch: typeof fetch;
  readonly log: Log;
}

/** Asks image registries which digest a tag stands for, without credentials, by the registries' common HTTP interface. */
export class RegistryDigests {
  readonly #deps: RegistryDeps;
  /** What was told in the log and has not changed since. */
  readonly #told = new Map<string, string>();

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  /** Undefined where the registry does not say: it is away, or wants credentials. That is told once. */
  async digestOf(image: string): Promise<string | undefined> {
    try {
      const digest = (await this.#head(placeOf(image))).headers.get("docker-content-digest") ?? "";
      if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error("its answer has no digest");
      this.#told.delete(image);
      return digest;
    } catch (thrown) {
      const because = sentenceOf(thrown);
      if (this.#told.get(image) !== because)
        this.#deps.log.warn(
          { image, because },
          "a registry does not say what a tag stands for: nests do not follow it",
        );
      this.#told.set(image, because);
      return undefined;
    }
  }

  async #head({ url, isLocal }: Place): Promise<Response> {
    const ask = (headers: Record<string, string>) =>
      this.#deps.fetch(url, {
        method: "HEAD",
        headers: { accept: MANIFESTS, ...headers },
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    let answer = await ask({});
    if (answer.status === 401) {
      const token = await this.#token(answer.headers.get("www-authenticate") ?? "", isLocal);
      answer = await ask({ authorization: `Bearer ${token}` });
    }
    if (!answer.ok) throw new Error(`it answers ${answer.status}`);
    return answer;
  }

  /** The token that public registries give to anybody. */
  async #token(challenge: string, isLocal: boolean): Promise<string> {
    const said = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
    const realm = said("realm");
    if (!challenge.startsWith("Bearer ") || realm === undefined) throw new Error("it wants credentials");
    const url = new URL(realm);
    if (url.protocol !== "https:" && !isLocal) throw new Error("it gives its tokens without encryption");
    for (const name of ["service", "scope"]) url.searchParams.set(name, said(name) ?? "");
    const answer = await this.#deps.fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const { token } = answer.ok ? ((await answer.json()) as { token?: unknown }) : {};
    if (typeof token !== "string") throw new Error("it wants credentials");
    return token;
  }
}

interface Place {
  readonly url: string;
  readonly isLocal: boolean;
}

/** Where a registry keeps the manifest of an image; `nest-spoke:stable` alone is the public registry's. */
function placeOf(image: string): Place {
  const [, name = "", tag = "latest"] = /^(.*?)(?::([^:/]+))?$/.exec(image) ?? [];
  const slash = name.indexOf("/");
  const first = name.slice(0, slash);
  const hasHost = slash > 0 && (/[.:]/.test(first) || first === "localhost");
  const host = hasHost ? first : "registry-1.docker.io";
  const path = hasHost ? name.slice(slash + 1) : slash > 0 ? name : `library/${name}`;
  const isLocal = /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host);
  return { url: `${isLocal ? "http" : "https"}://${host}/v2/${path}/manifests/${tag}`, isLocal };
}
