import { dirname, join } from "node:path";
import { type Clock, type Log, UsageError } from "@nest/kit";
import type { nestConfig } from "@nest/protocol";
import { type Booted, bootConfiguration, rememberOverlay } from "./boot.ts";
import { changesOf, differenceOf } from "./change.ts";
import { checkBoot, whyNoBoot } from "./check-boot.ts";
import { GOOD_OVERLAY, OVERLAY, readConfigText, treeOf, whyReadOnly } from "./config-files.ts";
import { isSame, type Tree, valueAt } from "./leaves.ts";
import type { NestYaml } from "./nest-yaml.ts";
import {
  changedText,
  mergeOverlay,
  type OverlayChange,
  type OverlayTurn,
  readOverlay,
  revisionOf,
  withOverlay,
} from "./overlay.ts";
import { readRecord } from "./overlay-record.ts";
import { DEFAULTS, type Layers, provenanceRows, restartNeeded, shownConfig } from "./provenance.ts";
import { rejectedFiles } from "./rejected-files.ts";
import { mustBeCurrent, mustBeWritable, mustBoot, mustStartAgain, whyNoStart, written } from "./save-rules.ts";
import type { SpokeSettings } from "./settings.ts";
import { warningsOf } from "./warnings.ts";

const USERS = ["dashboard", "authorized_users"];

export interface ConfigurationDeps {
  readonly settings: SpokeSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}

/** What a save did, with values as they may be audited. */
export interface Saved {
  readonly changed: readonly string[];
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** A nest's configuration from its start to its end: what it started with, what was saved since, and what of that is in force. */
export class Configuration {
  /** What the nest started with. */
  readonly running: NestYaml;
  readonly #deps: ConfigurationDeps;
  readonly #booted: Booted;
  #saved: NestYaml;
  #apply: (config: NestYaml) => Promise<void> = async () => undefined;
  #checkUsers: (entries: readonly string[], by: string) => void = () => undefined;

  private constructor(deps: ConfigurationDeps, booted: Booted) {
    this.#deps = deps;
    this.#booted = booted;
    this.running = booted.config;
    this.#saved = booted.config;
  }

  /** Brings the configuration together. @throws UsageError with one line per fault, when no nest can start with it. */
  static async open(deps: ConfigurationDeps): Promise<Configuration> {
    return new Configuration(deps, await bootConfiguration(deps));
  }

  /** Lets `apply` put in force what was saved, all but the sections that are read at a start alone. */
  onSaved(apply: (config: NestYaml) => Promise<void>): void {
    this.#apply = apply;
  }

  /** Asks `check` before another list of `authorized_users` is saved; it throws for one that may not be. */
  beforeSave(check: (entries: readonly string[], by: string) => void): void {
    this.#checkUsers = check;
  }

  /** What the nest goes by: what was saved, but for the sections that are read at a start alone. */
  get inForce(): NestYaml {
    const { github, dashboard, hub } = this.running;
    return { ...this.#saved, github, dashboard, hub };
  }

  /** What is saved now, whoever saved it; what was before where somebody broke the overlay by hand. */
  async now(): Promise<NestYaml> {
    const { settings, log } = this.#deps;
    try {
      const overlay = await readOverlay(settings.dataFolder);
      this.#saved = checkBoot(mergeOverlay(this.#booted.seed.tree, overlay), settings);
    } catch (thrown) {
      if (!(thrown instanceof UsageError)) throw thrown;
      log.warn({ because: thrown.message }, "the overlay cannot be used now");
    }
    return this.#saved;
  }

  /** The configuration for people, without secrets. */
  async view(): Promise<nestConfig.ConfigView> {
    const { text, layers } = await this.#layers();
    const readOnly = await whyReadOnly(this.#deps.settings.configFile);
    return {
      config: shownConfig(layers),
      revision: revisionOf(text),
      restart_needed: restartNeeded(layers),
      warnings: warningsOf(mergeOverlay(layers.seed, layers.overlay)),
      ...(readOnly === undefined ? {} : { read_only: readOnly }),
    };
  }

  /** Which layer gave each value, and why edits elsewhere have no effect. */
  async provenance(): Promise<nestConfig.Provenance> {
    const { layers, broken } = await this.#layers();
    const rejected = [...(await this.rejected()), ...broken];
    return { rows: provenanceRows(layers), rejected, restart_needed: restartNeeded(layers) };
  }

  /** Why the next start, or the next save, would fail: files that somebody broke by hand. Empty where nothing is broken. */
  async troubles(): Promise<readonly string[]> {
    const { settings } = this.#deps;
    const { layers, broken } = await this.#layers();
    const isRestored = settings.deployment === "container";
    const because = isRestored ? undefined : await whyNoStart(settings, layers.overlay);
    return [...broken.map(({ reason }) => reason), ...(because === undefined ? [] : [because])];
  }

  /** Files that are not used, or not as they are now, with the reason. */
  rejected(): Promise<nestConfig.RejectedFile[]> {
    return rejectedFiles(this.#deps.settings, this.#booted.seed.text);
  }

  /**
   * Saves a part of `nest.yaml` into the overlay, all of it or nothing, after the whole that comes of it was found fit to start with.
   *
   * @throws NestError `bad_request`, `nest_configuration_changed` where `revision` is an older one, `configuration_read_only`,
   * `storage_unavailable`.
   */
  async save(body: Tree, by: string, revision?: string): Promise<Saved> {
    const { settings } = this.#deps;
    await mustBeWritable(settings);
    const seed = this.#booted.seed.tree;
    const saved = await withOverlay(settings.dataFolder, async (overlay) => {
      mustBeCurrent(revision, revisionOf(overlay.text));
      const before = treeOf(overlay.text, OVERLAY);
      const inForce = mergeOverlay(DEFAULTS, mergeOverlay(seed, before));
      const changes = changesOf(body, { seed, overlay: before, inForce });
      const after = changes.length === 0 ? before : await this.#write(overlay, changes, by);
      const { keys, ...values } = differenceOf(inForce, mergeOverlay(DEFAULTS, mergeOverlay(seed, after)));
      return { changed: keys, ...values };
    });
    if (saved.changed.length > 0) await this.#putInForce();
    return saved;
  }

  /**
   * Saves keys that a route of its own takes, such as the switch of an agent's model. A configuration file that can only be read is
   * no hindrance: the overlay is in the data folder.
   *
   * @throws NestError `bad_request`, `storage_unavailable`.
   */
  async change(changes: readonly OverlayChange[], by: string): Promise<void> {
    await withOverlay(this.#deps.settings.dataFolder, (overlay) => this.#write(overlay, changes, by));
    await this.#putInForce();
  }

  /** @throws NestError `nest_cannot_restart` where the files, as they are now, would keep the nest from starting again. */
  async mustStartAgain(): Promise<void> {
    const { layers } = await this.#layers();
    await mustStartAgain(this.#deps.settings, layers.overlay);
  }

  async #putInForce(): Promise<void> {
    await this.#apply(await this.now());
  }

  async #write(overlay: OverlayTurn, changes: readonly OverlayChange[], by: string): Promise<Tree> {
    const { settings, clock } = this.#deps;
    const { seed } = this.#booted;
    const text = changedText(overlay.text, changes);
    const tree = treeOf(text, OVERLAY);
    const [before, after] = [treeOf(overlay.text, OVERLAY), tree].map((one) => mergeOverlay(seed.tree, one));
    await mustBoot(before, after, settings);
    if (!isSame(valueAt(before, USERS), valueAt(after, USERS)))
      this.#checkUsers(checkBoot(after, settings).dashboard.authorized_users ?? [], by);
    const author = { by, at: new Date(clock.now()).toISOString() };
    await written(overlay.write(changes, author), settings.dataFolder);
    await rememberOverlay(this.#deps, seed, { text, tree });
    return tree;
  }

  /** Why nothing could run with an overlay; undefined where it can, or where the seed is to blame. */
  #whyUnfit(overlay: Tree): string | undefined {
    const { tree } = this.#booted.seed;
    const faults = whyNoBoot(mergeOverlay(tree, overlay), this.#deps.settings);
    return faults.length === 0 ? undefined : faults.join("; ");
  }

  async #layers(): Promise<{ text: string; layers: Layers; broken: nestConfig.RejectedFile[] }> {
    const { settings } = this.#deps;
    const overlayFile = join(settings.dataFolder, OVERLAY);
    const { seed, tree } = this.#booted;
    const found = await overlayAt(overlayFile, (overlay) => this.#whyUnfit(overlay));
    const layers = {
      seed: seed.tree,
      seedFile: settings.configFile,
      overlay: found.tree,
      overlayFile,
      environment: settings.environment,
      record: await readRecord(settings.dataFolder),
      running: tree,
    };
    return { text: found.text, layers, broken: found.broken };
  }
}

interface FoundOverlay {
  readonly text: string;
  readonly tree: Tree;
  readonly broken: nestConfig.RejectedFile[];
}

/** The overlay as it is now. One that cannot be used, because somebody broke it by hand, gives way to the last good one. */
async function overlayAt(file: string, whyUnfit: (overlay: Tree) => string | undefined): Promise<FoundOverlay> {
  try {
    const text = (await readConfigText(file)) ?? "";
    const tree = treeOf(text, file);
    const because = whyUnfit(tree);
    if (because === undefined) return { text, tree, broken: [] };
    return await lastGood(file, because);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return lastGood(file, thrown.message);
  }
}

async function lastGood(file: string, because: string): Promise<FoundOverlay> {
  const tree = await readConfigText(join(dirname(file), GOOD_OVERLAY))
    .then((text) => treeOf(text ?? "", GOOD_OVERLAY))
    .catch(() => ({}));
  return { text: "", tree, broken: [{ file, reason: `${because}; the last good one is in force` }] };
}
