export { type BackoffBounds, backoffMs } from "./backoff.ts";
export { type CancelTimer, type Clock, systemClock, VirtualClock } from "./clock.ts";
export { checkConfig, type Environment, MOST_YAML_BYTES, parseYaml, variable } from "./config.ts";
export { errorLines, exitCodeOf, NestError, type NestErrorDetails, sentenceOf, UsageError } from "./errors.ts";
export {
  isAbsent,
  makeDataFolder,
  makePrivateFolder,
  readSmallText,
  readTextIfPresent,
  type WriteOptions,
  writeFileAtomic,
  writeFileAtomicSync,
} from "./files.ts";
export { type FlagKind, type FlagValues, type ParsedFlags, parseFlags } from "./flags.ts";
export { KeyedLock } from "./keyed-lock.ts";
export { isHostPattern, KnownHosts } from "./known-hosts.ts";
export { LiveFolder, type Reading } from "./live-folder.ts";
export { clearLockFile, lockFileText, placeLockFile, removeLockFile } from "./lock-file.ts";
export { createLog, type Log, type LogOptions, silentLog } from "./log.ts";
export { isLoopback } from "./loopback.ts";
export { ProgressLine, type ProgressOut } from "./progress.ts";
export { type Random, seededRandom, systemRandom } from "./random.ts";
export { redactor, Secret, strikeOut } from "./secret.ts";
export { onShutdownSignal } from "./shutdown.ts";
export { cutBytes, plainLine, plainText, shownText } from "./text.ts";
export { TimeSlicer } from "./time-slicer.ts";
export { variableOf } from "./variable-reference.ts";
