export { closingReferences, type IssueReference, PUBLIC_WEB_BASE } from "./closing-references.ts";
export type {
  Access,
  Account,
  CodeHost,
  CodeHostErrorCode,
  Comment,
  Issue,
  PullRequest,
  RequiredChecks,
  Scan,
  TaskCredential,
  TextFile,
} from "./codehost.ts";
export { CodeHostMemory } from "./codehost-memory.ts";
export type { Credentials } from "./credentials.ts";
export {
  type DeviceLogin,
  type DeviceLoginState,
  pollDeviceLogin,
  startDeviceLogin,
} from "./device-login.ts";
export { GitHub, type GitHubOptions, PUBLIC_API_URL } from "./github.ts";
export type { OAuthOptions } from "./oauth.ts";
export { type PullRequestName, pullRequestLink, pullRequestUrl } from "./pull-request-link.ts";
export { finishWebLogin, webLoginAddress } from "./web-login.ts";
export { verifyWebhook } from "./webhook.ts";
