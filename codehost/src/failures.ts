import { NestError } from "@nest/kit";
import type { CodeHostErrorCode } from "./codehost.ts";

type Failure = NestError<CodeHostErrorCode>;

/** The platform did not answer, or only with server errors, in all tries. */
export function unreachable(what: string, because: string): Failure {
  return new NestError("codehost_unreachable", `${what}: the code host did not answer: ${because}`, {
    hint: "check the network and NEST_GITHUB_API_URL; it is tried again by itself",
  });
}

/** The platform told us to wait longer than we are willing to. */
export function rateLimited(what: string, untilMs: number): Failure {
  return new NestError(
    "codehost_rate_limited",
    `${what}: the code host's rate limit is used up until ${new Date(untilMs).toISOString()}`,
    { hint: "it is tried again by itself; an app installation has a larger limit than a personal token" },
  );
}

/** The platform rejected our credentials, or does not let us do this. */
export function refused(what: string, status: number): Failure {
  return new NestError("codehost_refused", `${what}: the code host refused it (${status})`, {
    hint: "check github.token, or the app's key, installation and permissions",
  });
}

/** The answer was not what the platform's API promises. */
export function badAnswer(what: string, because: string): Failure {
  return new NestError("codehost_bad_answer", `${what}: the code host's answer makes no sense: ${because}`);
}

/** There is no such thing, or it is hidden from us. */
export function notFound(what: string): Failure {
  return new NestError("codehost_not_found", `${what}: not found on the code host`, {
    hint: "check the name, and that the token or app may see it",
  });
}

/** Whether something thrown is a code host's failure of this kind. */
export function failedWith(thrown: unknown, code: CodeHostErrorCode): boolean {
  return thrown instanceof NestError && thrown.code === code;
}
