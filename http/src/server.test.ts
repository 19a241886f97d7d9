import { expect, test } from "vitest";
import { webAddress } from "./server.ts";

test.each([
  ["127.0.0.1", "http://127.0.0.1:8080"],
  ["localhost", "http://localhost:8080"],
  ["::1", "http://[::1]:8080"],
])("the ready line of a hub on %s names an address that a client takes", (host, address) => {
  expect(webAddress(host, 8080)).toBe(address);
  expect(URL.canParse(address)).toBe(true);
});
