import { chmod, writeFile } from "node:fs/promises";
import type { nestRuns } from "@nest/protocol";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { SPOKE_TOKEN, SpokeHere } from "../harness/spoke-here.ts";

type RunWhole = ReturnType<(typeof nestRuns.run)["reply"]["parse"]>;

test.runIf(process.platform === "linux")(
  "a nest's agent in its sandbox reads neither nest.yaml nor the nest's data, whatever their permissions say",
  { timeout: 90_000 },
  async () => {
    // A sandbox in a container shows all of it, read-only, but for what is hidden; the temporary folder is a private one anyway.
    await using tools = await FolderHere.make("hostile-agent", "/var/tmp");
    await using spoke = await SpokeHere.start({
      parent: "/var/tmp",
      seed: plainSeed(SPOKE_TOKEN, ["acme/web"], 1),
      config: { agents: { scanner: { style: "headless", labels: ["none has it"] } }, acmm_level: 2 },
      environment: { NEST_AGENT_COMMAND: tools.in("agent"), NEST_CONTAINER: "1", NEST_SANDBOX: "bubblewrap" },
    });
    const { path } = spoke.folder;
    const lines = [
      `ls ${path} && echo "it sees the folder"`,
      `for file in ${path}/nest.yaml ${path}/data/*; do cat "$file" > /dev/null && echo "it reads $file"; done`,
      "echo NEST_VERDICT: complete",
    ];
    await writeFile(tools.in("agent"), `#!/bin/sh\n${lines.join("\n")}\n`);
    for (const place of [tools.path, tools.in("agent"), path, spoke.dataFolder]) await chmod(place, 0o755);
    await chmod(spoke.folder.in("nest.yaml"), 0o644);
    await spoke.call("POST", "/api/agents/scanner/kick", { message: "look around" });
    const run = await spoke.endedRun();
    const { last_lines: printed } = await spoke.call<RunWhole>("GET", `/api/runs/${run.id}`);
    const said = printed.join("\n");
    expect(said).toContain("it sees the folder");
    expect(said).not.toContain("it reads");
  },
);
