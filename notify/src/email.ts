import { isLoopback } from "@nest/kit";
import type { Envelope } from "./delivery.ts";
import { type Deliver, failed, type Outcome, TIMEOUT_MS, withinTime } from "./delivery.ts";

const IMPLICIT_TLS_PORT = 465;

/**
 * Sends a message by SMTP, as plain text. The secret is the password that goes with `user`. Nothing is sent in the clear to another
 * machine: without `tls: none` the server must speak TLS.
 */
export const deliverByEmail: Deliver<"email"> = async (envelope, channel, deps) => {
  const { host, port, user, key, from, to } = channel;
  const tls = channel.tls ?? (port === IMPLICIT_TLS_PORT ? "implicit" : "starttls");
  if (tls === "none" && !isLoopback(host)) return failed("tls: none is for a mail server on this machine only", true);
  if (user !== undefined && user !== null && key === undefined)
    return failed("it has no secret yet: the password of the mail server's user", true);
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host,
    port: port ?? (tls === "implicit" ? IMPLICIT_TLS_PORT : 587),
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    ...(user && key !== undefined ? { auth: { user, pass: key.reveal() } } : {}),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // A text that names a file or an address never makes the mail program read it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const outcome = await withinTime(deps, (signal) => {
    signal.throwIfAborted();
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const sent = transport.sendMail({ from, to, ...mailOf(envelope) }).then(
      (): Outcome => ({ kind: "delivered" }),
      (thrown: unknown) => whyNot(thrown),
    );
    return Promise.race([sent, stopped]);
  });
  transport.close();
  return outcome;
};

function mailOf({ id, message, sender }: Envelope) {
  const { title, text, link, pull_request, at } = message;
  const lines = [text, pull_request, link].filter((line) => line !== undefined && line !== "");
  return {
    subject: `[nest] ${title}`,
    text: `${lines.join("\n\n")}\n\n${at}, ${sender.kind} ${sender.id}\n`,
    messageId: `<${id}@${sender.id.replace(/[^A-Za-z0-9-]/g, "-")}.nest>`,
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

/** A sentence for what a mail server answered: its own may repeat what it was sent. */
function whyNot(thrown: unknown): Outcome {
  const { responseCode, code } = thrown as { readonly responseCode?: number; readonly code?: string };
  if (code === "EAUTH") return failed("the mail server refuses the user or the password", true);
  if (code === "ETLS") return failed("the mail server does not speak TLS, or its certificate is not trusted", true);
  if (typeof responseCode === "number")
    return failed(`the mail server answered with ${responseCode}`, responseCode >= 500);
  throw thrown;
}
