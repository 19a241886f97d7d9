import { z } from "zod";
import { route } from "./route.ts";

/** The page for one agent's terminal; the socket behind it is at `/terminal/ws` (docs/protocol.md, Terminal). */
export const terminalPage = route({
  method: "GET",
  path: "/terminal/",
  summary: "The terminal of an agent, `arg` being nest-<agent>; without it the list of agents",
  access: "operator",
  produces: "text/html",
  query: z.object({ arg: z.string().max(100).optional() }),
  reply: z.string(),
});
