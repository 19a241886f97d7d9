import { setTimeout as sleep } from "node:timers/promises";
import { checkUser, runArguments } from "./container-arguments.ts";
import { environmentOf, type PodPlace } from "./environment.ts";
import type { NodeApi } from "./node-api.ts";
import { type ContainerSpec, NotStarted, type PodObject } from "./pod-shape.ts";
import type { NodePodman } from "./podman.ts";
import { checkOf, probing } from "./probes.ts";
import { mountArguments, type Volumes } from "./volumes.ts";

/** What a container needs of the pod around it. */
export interface PodAround {
  readonly api: NodeApi;
  readonly podman: NodePodman;
  readonly pod: PodObject;
  readonly place: PodPlace & { readonly network: string };
  readonly extra: Readonly<Record<string, string>>;
  readonly volumes: Volumes;
  readonly restart: { readonly firstMs: number; readonly longestMs: number };
  readonly signal: AbortSignal;
  changed(): void;
}

type State = { readonly waiting: object } | { readonly running: object } | { readonly terminated: object };

/** One container of a pod, over its restarts. It tells its state as a kubelet would. */
export class Container {
  readonly spec: ContainerSpec;
  readonly #around: PodAround;
  #state: State = { waiting: { reason: "PodInitializing" } };
  #last: State | undefined;
  #restarts = 0;
  #runs = 0;
  #isReady = false;
  #isStarted = false;

  constructor(spec: ContainerSpec, around: PodAround) {
    this.spec = spec;
    this.#around = around;
  }

  /** Whether it was made at least once. */
  get hasRun(): boolean {
    return this.#runs > 0;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get isRunning(): boolean {
    return "running" in this.#state;
  }

  /** The name of the container that runs now, or ran last; `previous` for the one before it. */
  nameOf(previous = false): string {
    return `${this.#around.podman.label}-${this.#around.pod.metadata.uid}-${this.spec.name}-${this.#runs - (previous ? 1 : 0)}`;
  }

  status(): object {
    const { name, image } = this.spec;
    const running = { ready: this.#isReady, started: this.#isStarted, restartCount: this.#restarts };
    const id = this.#runs === 0 ? "" : `podman://${this.nameOf()}`;
    return { name, image, imageID: "", containerID: id, ...running, state: this.#state, lastState: this.#last ?? {} };
  }

  /** Runs until it has ended for good by the rule, again and again, later each time; answers with the last exit code. */
  async live(isAgain: (exitCode: number) => boolean): Promise<number> {
    const { firstMs, longestMs } = this.#around.restart;
    for (let fails = 0; ; fails++) {
      const exitCode = await this.#once();
      if (!isAgain(exitCode)) return exitCode;
      const pauseMs = Math.min(longestMs, firstMs * 2 ** fails);
      this.#last = this.#state;
      const { name, namespace } = this.#around.pod.metadata;
      const message = `back-off ${pauseMs}ms restarting failed container=${this.spec.name} pod=${name}_${namespace}`;
      this.#set({ waiting: { reason: "CrashLoopBackOff", message } });
      await this.#say("Warning", "BackOff", `Back-off restarting failed container ${this.spec.name} in pod ${name}`);
      await sleep(pauseMs, undefined, { signal: this.#around.signal });
      this.#restarts += 1;
    }
  }

  async #once(): Promise<number> {
    const { podman } = this.#around;
    const [args, environment] = await this.#prepared();
    this.#runs += 1;
    const name = this.nameOf();
    const startedAt = instant();
    try {
      const labels = [`nest.node=${podman.label}`, `nest.pod=${this.#around.pod.metadata.uid}`];
      const { pod, place } = this.#around;
      const what = { name, labels, network: place.network, pod, container: this.spec, mounts: args, environment };
      await podman.run(runArguments(what), environment);
    } catch (thrown) {
      return this.#startFailed(thrown, startedAt);
    }
    this.#set({ running: { startedAt } });
    await this.#say("Normal", "Started", `Started container ${this.spec.name}`);
    const stop = new AbortController();
    const probes = this.#probe(AbortSignal.any([this.#around.signal, stop.signal]));
    const { exitCode, isOutOfMemory } = await podman.ended(name);
    stop.abort();
    await probes;
    const reason = isOutOfMemory ? "OOMKilled" : exitCode === 0 ? "Completed" : "Error";
    this.#ended({ exitCode, reason, startedAt, finishedAt: instant() });
    return exitCode;
  }

  #startFailed(thrown: unknown, startedAt: string): number {
    const { stderr = String(thrown) } = thrown as { stderr?: string };
    const message = stderr.trim().slice(-500);
    this.#ended({ exitCode: 128, reason: "StartError", message, startedAt, finishedAt: instant() });
    void this.#say("Warning", "Failed", `Error: ${message}`);
    return 128;
  }

  #ended(terminated: object): void {
    this.#isReady = false;
    this.#isStarted = false;
    this.#set({ terminated });
  }

  /** Waits until image, configuration and volumes are there, and tells what is missing meanwhile. */
  async #prepared(): Promise<[mounts: string[], environment: Readonly<Record<string, string>>]> {
    const { api, podman, pod, place, extra, volumes, restart, signal } = this.#around;
    for (let tries = 0; ; tries++) {
      try {
        await this.#checkImage(tries);
        await checkUser(podman, pod, this.spec);
        const environment = { ...extra, ...(await environmentOf(api, pod, this.spec, place)) };
        return [await mountArguments(volumes, this.spec), environment];
      } catch (thrown) {
        if (!(thrown instanceof NotStarted)) throw thrown;
        this.#set({ waiting: { reason: thrown.reason, message: thrown.message } });
        await this.#say("Warning", "Failed", `Error: ${thrown.reason}: ${thrown.message}`);
        await sleep(Math.min(restart.longestMs, restart.firstMs * 2 ** tries), undefined, { signal });
      }
    }
  }

  async #checkImage(tries: number): Promise<void> {
    const { image, imagePullPolicy } = this.spec;
    if (await this.#around.podman.hasImage(image)) return;
    if (imagePullPolicy === "Never")
      throw new NotStarted("ErrImageNeverPull", `Container image "${image}" is not present with pull policy of Never`);
    if (tries === 0) throw new NotStarted("ErrImagePull", `failed to pull image "${image}": no registry is reachable`);
    throw new NotStarted("ImagePullBackOff", `Back-off pulling image "${image}"`);
  }

  /** Starts what the container's probes say: readiness is told, a failed liveness ends the container. */
  async #probe(signal: AbortSignal): Promise<void> {
    const { startupProbe, livenessProbe, readinessProbe } = this.spec;
    const quiet = (work: Promise<unknown>) => work.catch(() => undefined);
    if (startupProbe !== undefined) {
      const started = new AbortController();
      const both = AbortSignal.any([signal, started.signal]);
      const onChange = (failure: string | undefined) =>
        failure === undefined ? started.abort() : this.#kill("Startup", failure);
      await quiet(probing(startupProbe, this.#check(startupProbe), onChange, both));
      if (signal.aborted) return;
    }
    this.#isStarted = true;
    this.#isReady = readinessProbe === undefined;
    this.#around.changed();
    const onLiveness = (failure: string | undefined) => {
      if (failure !== undefined) this.#kill("Liveness", failure);
    };
    const onReadiness = (failure: string | undefined) => {
      this.#isReady = failure === undefined;
      if (failure !== undefined) void this.#say("Warning", "Unhealthy", `Readiness probe failed: ${failure}`);
      this.#around.changed();
    };
    const probes = [
      ...(livenessProbe === undefined ? [] : [[livenessProbe, onLiveness] as const]),
      ...(readinessProbe === undefined ? [] : [[readinessProbe, onReadiness] as const]),
    ];
    await Promise.all(probes.map(([probe, act]) => quiet(probing(probe, this.#check(probe), act, signal))));
  }

  #check(probe: NonNullable<ContainerSpec["livenessProbe"]>) {
    const { podman, place } = this.#around;
    const exec = (command: readonly string[], timeoutMs: number) =>
      new Promise<number>((resolve) => {
        const child = podman.spawn(["exec", this.nameOf(), ...command]);
        const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
        child.stdout.resume();
        child.stderr.resume();
        child.once("close", (code) => {
          clearTimeout(timer);
          resolve(code ?? 137);
        });
      });
    return checkOf(probe, this.spec, { ip: place.ip, exec });
  }

  #kill(probe: string, failure: string): void {
    void this.#say("Warning", "Unhealthy", `${probe} probe failed: ${failure}`);
    const told = `Container ${this.spec.name} failed ${probe.toLowerCase()} probe, will be restarted`;
    void this.#say("Normal", "Killing", told);
    void this.#around.podman.stop(this.nameOf(), 2);
  }

  #set(state: State): void {
    this.#state = state;
    this.#around.changed();
  }

  #say(type: "Normal" | "Warning", reason: string, message: string): Promise<void> {
    const { api, pod } = this.#around;
    return api.event(pod, { type, reason, message }).catch(() => undefined);
  }
}

function instant(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
