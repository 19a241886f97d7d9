import { expect, test } from "vitest";
import { httpBase, webSocketAddress } from "./hub-address.ts";

test.each([
  ["wss://hub.example/contribute", "wss://hub.example/api/contribute/ws", "https://hub.example"],
  ["wss://hub.example/contribute/", "wss://hub.example/api/contribute/ws", "https://hub.example"],
  ["ws://127.0.0.1:8080", "ws://127.0.0.1:8080/api/contribute/ws", "http://127.0.0.1:8080"],
  ["http://127.0.0.1:8080/", "ws://127.0.0.1:8080/api/contribute/ws", "http://127.0.0.1:8080"],
  ["wss://hub.example/team/contribute", "wss://hub.example/team/api/contribute/ws", "https://hub.example/team"],
  ["ws://hub.example/api/contribute/ws", "ws://hub.example/api/contribute/ws", "http://hub.example"],
  ["ws://hub.example/socket", "ws://hub.example/socket", "http://hub.example/socket"],
])("the hub address %s leads to %s", (configured, socket, base) => {
  expect(webSocketAddress(configured)).toBe(socket);
  expect(httpBase(configured)).toBe(base);
});

test.each(["", "hub.example", "ftp://hub.example", "javascript:alert(1)"])("%j is no hub address", (configured) => {
  expect(() => webSocketAddress(configured)).toThrow(TypeError);
});
