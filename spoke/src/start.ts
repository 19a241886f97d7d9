import type { AddressInfo } from "node:net";
import { webAddress } from "@nest/http";
import { type Clock, type Log, type Random, UsageError } from "@nest/kit";
import type { FastifyInstance } from "fastify";
import { buildDashboard, buildTerminal } from "./app.ts";
import { buildNest, closeNest } from "./build-nest.ts";
import type { SpokeSettings } from "./config/settings.ts";
import { dashboardDeps } from "./dashboard-deps.ts";

export interface SpokeParts {
  readonly settings: SpokeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly version: string;
  /** Ends the nest and starts it anew; the route that asks for it says so where there is none. */
  readonly restart?: (() => void) | undefined;
}

/** A spoke that listens on both ports. */
export interface RunningSpoke {
  readonly dashboardUrl: string;
  readonly terminalUrl: string;
  /** Stops the heartbeats, then both listeners. */
  close(): Promise<void>;
}

/**
 * Starts a spoke: identity, both ports, heartbeats.
 *
 * @throws UsageError when configuration is wrong; nothing listens then.
 */
export async function startSpoke(parts: SpokeParts): Promise<RunningSpoke> {
  const { settings } = parts;
  const nest = await buildNest(parts);
  const { agents, loop, configuration, port } = nest;
  const dashboard = await buildDashboard(dashboardDeps(nest));
  const terminal = await buildTerminal(port);
  const close = async () => {
    await loop?.stop();
    await Promise.all([dashboard.close(), terminal.close(), closeNest(nest)]);
  };
  try {
    const dashboardPort = settings.dashboardPort ?? configuration.running.dashboard.port ?? 3002;
    const dashboardUrl = await listen(dashboard, settings.host, dashboardPort);
    const terminalUrl = await listen(terminal, settings.host, settings.terminalPort);
    loop?.start();
    agents.governor.start();
    agents.feed.tell({ action: "nest started" });
    return { dashboardUrl, terminalUrl, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code !== "EADDRINUSE" && code !== "EACCES" && code !== "EADDRNOTAVAIL") throw thrown;
    throw new UsageError(`cannot listen on ${host}:${port}: ${code === "EADDRINUSE" ? "the port is taken" : code}`);
  }
  const bound = app.server.address() as AddressInfo;
  return webAddress(bound.address, bound.port);
}
