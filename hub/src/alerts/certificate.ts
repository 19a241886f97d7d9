import { connect } from "node:tls";

const TIMEOUT_MS = 5000;

/** Until when the certificate at an https address is valid (ms); undefined where none can be read. Sends nothing but the handshake. */
export function certificateEnd(address: string): Promise<number | undefined> {
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== "https:") return Promise.resolve(undefined);
  return new Promise((resolve) => {
    // One that is not valid any more has an end too, so it is not refused here.
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      rejectUnauthorized: false,
    });
    const end = (at: number | undefined) => {
      socket.destroy();
      resolve(at);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(undefined));
    socket.once("error", () => end(undefined));
    socket.once("secureConnect", () => {
      const at = Date.parse(socket.getPeerCertificate().valid_to ?? "");
      end(Number.isNaN(at) ? undefined : at);
    });
  });
}
