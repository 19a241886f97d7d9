import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The floor: Node's own web server alone, which reads a body, parses it as JSON where there is one, and answers. No check, no router, no state. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end('{"ok":true}');
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`bare server listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
