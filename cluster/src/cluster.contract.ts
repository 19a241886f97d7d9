import type { Cluster } from "./cluster.ts";

/**
 * The behaviour of a container in the contract's tests: it writes output in pieces, then exits, hangs, breaks the connection,
 * or writes all that it read once its input has ended and exits with 0.
 */
export interface Script {
  readonly stdout: readonly string[];
  readonly stderr?: string;
  readonly ends: number | "hang" | "cut" | "echo";
}

/** A cluster under test, with functions that put objects into it. */
export interface ClusterUnderTest extends AsyncDisposable {
  readonly cluster: Cluster;
  addSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): Promise<void>;
  addPod(namespace: string, name: string, phase: "Running" | "Pending", script: Script): Promise<void>;
}

/** The test functions, passed in so that this file does not depend on a test runner. */
export interface Runner {
  test(name: string, body: () => Promise<void>): void;
  equal(actual: unknown, expected: unknown): void;
}

/** The contract of every {@link Cluster}; run it on each implementation. */
export function clusterContract({ test, equal }: Runner, make: () => Promise<ClusterUnderTest>): void {
  const soon = () => AbortSignal.timeout(10_000);
  const run = async (under: ClusterUnderTest, pod: string, signal = soon()) => {
    const pieces: Buffer[] = [];
    const stdout = (piece: Buffer) => void pieces.push(Buffer.from(piece));
    const command = ["/bin/sh", "-c", "echo 'two words' & $HOME", "x"];
    const request = { namespace: "nest-hosted-one", pod, container: "nest", command, stdout, signal };
    const result = await under.cluster.exec(request);
    return { ...result, stdout: Buffer.concat(pieces).toString("utf8") };
  };
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "ok",
      (thrown: { code?: unknown; name?: string }) => (typeof thrown.code === "string" ? thrown.code : thrown.name),
    );
  const withPod = async (script: Script, act: (under: ClusterUnderTest) => Promise<void>) => {
    await using under = await make();
    await under.addPod("nest-hosted-one", "nest-abc", "Running", script);
    await act(under);
  };

  test("a Secret is read by its name, its data as base64", async () => {
    await using under = await make();
    await under.addSecret("nest-hub", "nest-hub-secrets", { token: "c2VjcmV0" });
    const secret = await under.cluster.secret("nest-hub", "nest-hub-secrets", soon());
    equal([secret.kind, secret.data], ["Secret", { token: "c2VjcmV0" }]);
  });

  test("a Secret that is not there is absent, which is not the same as forbidden", async () => {
    await using under = await make();
    equal(await codeOf(under.cluster.secret("nest-hub", "no-such", soon())), "cluster_absent");
  });

  test("pods are listed with phase and containers; a namespace without any has none", async () => {
    await withPod({ stdout: [], ends: 0 }, async (under) => {
      await under.addPod("nest-hosted-one", "nest-new", "Pending", { stdout: [], ends: 0 });
      const pods = await under.cluster.pods("nest-hosted-one", soon());
      const seen = pods.map(({ name, phase, containers }) => [name, phase, containers.join()]);
      equal(seen.sort(), [
        ["nest-abc", "Running", "nest"],
        ["nest-new", "Pending", "nest"],
      ]);
      equal(await under.cluster.pods("nest-hosted-none", soon()), []);
    });
  });

  test("a program's output comes whole and in order, with its exit code", async () => {
    const stdout = ["one\n", "x".repeat(200_000), "\nlast"];
    await withPod({ stdout, ends: 0 }, async (under) => {
      const result = await run(under, "nest-abc");
      equal([result.exitCode, result.stdout === stdout.join("")], [0, true]);
    });
  });

  test("a program that fails tells its exit code and what it complained about", async () => {
    await withPod({ stdout: ["partly"], stderr: "no such file", ends: 3 }, async (under) => {
      const { exitCode, stderr, stdout } = await run(under, "nest-abc");
      equal([exitCode, stderr, stdout], [3, "no such file", "partly"]);
    });
  });

  test("a stream that breaks off is a failure, never a shorter output", async () => {
    await withPod({ stdout: ["partly"], ends: "cut" }, async (under) => {
      equal(await codeOf(run(under, "nest-abc")), "cluster_failed");
    });
  });

  test("a program that hangs ends when the signal says so", async () => {
    await withPod({ stdout: ["partly"], ends: "hang" }, async (under) => {
      equal(await codeOf(run(under, "nest-abc", AbortSignal.timeout(300))), "TimeoutError");
    });
  });

  test("a program reads the whole input and learns of its end", async () => {
    await withPod({ stdout: [], ends: "echo" }, async (under) => {
      const input = [Buffer.from("one\n"), Buffer.alloc(300_000, "x"), Buffer.from("\nlast")];
      const pieces: Buffer[] = [];
      const request = {
        ...{ namespace: "nest-hosted-one", pod: "nest-abc", container: "nest", command: ["cat"], signal: soon() },
        stdout: (piece: Buffer) => void pieces.push(Buffer.from(piece)),
        stdin: (async function* () {
          yield* input;
        })(),
      };
      const { exitCode } = await under.cluster.exec(request);
      equal([exitCode, Buffer.concat(pieces).equals(Buffer.concat(input))], [0, true]);
    });
  });

  test("an input that fails ends the run with its error", async () => {
    await withPod({ stdout: [], ends: "echo" }, async (under) => {
      const request = {
        ...{ namespace: "nest-hosted-one", pod: "nest-abc", container: "nest", command: ["cat"], signal: soon() },
        stdout: () => {},
        // biome-ignore lint/correctness/useYield: an input that fails before its first piece
        stdin: (async function* () {
          throw Object.assign(new Error("the disk is gone"), { code: "disk_gone" });
        })(),
      };
      equal(await codeOf(under.cluster.exec(request)), "disk_gone");
    });
  });

  test("a program in a pod that is not there fails as absent", async () => {
    await withPod({ stdout: [], ends: 0 }, async (under) => {
      equal(await codeOf(run(under, "no-such-pod")), "cluster_absent");
    });
  });
}
