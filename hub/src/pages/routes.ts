import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Budget } from "@nest/auth";
import type { CodeHost } from "@nest/codehost";
import { sendPage } from "@nest/http";
import { type Clock, NestError } from "@nest/kit";
import { type contribute, type governor, leaderboard, pages } from "@nest/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { HubRoutes } from "../access/viewer.ts";
import { apiDocsPage } from "./api-docs-page.ts";
import { registerAssets } from "./assets.ts";
import { contributePage } from "./contribute-page.ts";
import { leaderboardPage } from "./leaderboard-page.ts";
import { livePage } from "./live-page.ts";
import { type RelayPackage, RelayPackages } from "./relay-package.ts";
import { readStyleSource } from "./style-source.ts";
import { Styles } from "./styles.ts";

export interface PageDeps {
  readonly status: () => contribute.StatusReply;
  readonly activity: (count: number) => Promise<readonly contribute.ActivityEntry[]>;
  readonly settings: () => governor.GovernorSettings;
  readonly leaderboard: (window: leaderboard.LeaderboardWindow) => {
    readonly people: readonly leaderboard.LeaderboardRow[];
    readonly agents: readonly leaderboard.LeaderboardRow[];
  };
  /** The hub's address as whoever asks should use it, without a trailing slash. */
  readonly ownAddress: (request: FastifyRequest) => string;
  /** The OpenAPI description of every route. */
  readonly describeApi: () => Readonly<Record<string, unknown>>;
  readonly codeHost: CodeHost;
  /** Its addresses, for contributors: of its pages, and of its API. */
  readonly codeHostAddress: { readonly web: string; readonly api: string };
  readonly clock: Clock;
  /** Where the relay's package lies, if it was made. */
  readonly relayPackage: string;
  /** Stylesheets that are fetched from the code host for strangers. */
  readonly styleFetches: Budget;
}

const FEED_LINES = 12;
/** What contributors read, as Markdown. */
const GUIDE = join(import.meta.dirname, "../../../docs/contributing-a-machine.md");

/** Serves the server-made pages, what they load, and custom stylesheets of the leaderboard. */
export function registerPages(app: FastifyInstance, routes: HubRoutes, deps: PageDeps): void {
  const { status, activity, settings, codeHost, clock, styleFetches } = deps;
  const live = livePage();
  const packages = new RelayPackages(deps.relayPackage);
  registerAssets(app);
  routes.serve(pages.live, ({ reply }) => sendPage(reply, live));
  routes.serve(pages.contribute, async ({ query, request, reply }) =>
    sendPage(
      reply,
      contributePage({
        status: status(),
        activity: await activity(FEED_LINES),
        settings: settings(),
        cli: query.cli,
        hubAddress: deps.ownAddress(request),
        codeHostAddress: deps.codeHostAddress,
        relayDigest: (await packages.current())?.digest,
      }),
    ),
  );
  routes.serve(pages.apiDocs, ({ request, reply }) =>
    sendPage(reply, apiDocsPage(deps.describeApi(), deps.ownAddress(request))),
  );
  routes.serve(pages.guide, async ({ reply }) =>
    reply.type("text/plain; charset=utf-8").send(await readFile(GUIDE, "utf8")),
  );
  routes.serve(pages.relayPackage, async ({ reply }) => {
    const { content, digest } = await made(packages);
    reply.header("cache-control", "no-cache").header("etag", `"${digest}"`);
    return reply.type("application/gzip").send(content);
  });
  routes.serve(pages.relayChecksum, async ({ reply }) => {
    const { digest } = await made(packages);
    return reply.header("cache-control", "no-cache").type("text/plain; charset=utf-8").send(`${digest}  relay.tgz\n`);
  });
  routes.serve(pages.leaderboard, ({ query, reply }) => {
    const { window, page } = query;
    // An invalid stylesheet name is not passed on: the page is shown without a stylesheet.
    const style = query.style !== undefined && readStyleSource(query.style) !== undefined ? query.style : undefined;
    return sendPage(reply, leaderboardPage({ ...deps.leaderboard(window), window, page, style }));
  });
  const styles = new Styles(codeHost, clock);
  routes.serve(leaderboard.style, async ({ query, request, reply }) => {
    if (!styles.has(query.src)) styleFetches.spend(request.ip);
    const { css, dropped, reasons } = await styles.get(query.src);
    reply.header("x-nest-style-dropped", dropped).header("cache-control", "max-age=300");
    if (query.report === "1") return { css, dropped, reasons: [...reasons] };
    return reply.type("text/css; charset=utf-8").send(css);
  });
}

async function made(packages: RelayPackages): Promise<RelayPackage> {
  const found = await packages.current();
  if (found !== undefined) return found;
  throw new NestError("relay_package_missing", "the relay's package was not made on this hub", {
    hint: "whoever runs the hub makes it with npm run bundle; from a checkout of Nest the commands are in bin/",
  });
}
