import { expect, test } from "vitest";
import { isBareShell } from "./foreground.ts";

test.each([
  ["bash", true],
  ["-zsh", true],
  ["/bin/sh -i", true],
  ["bash --rcfile /tmp/rc -i", true],
  ["bash -o vi", true],
  ["sh -s", true],
  ["sh -s argument", true],
  ["bash --", true],
  ["/bin/sh /home/ada/bin/claude-wrapper --print", false],
  ["bash /opt/wrapper", false],
  ["bash -eu /opt/wrapper", false],
  ["sh -c claude", false],
  ["bash -ec claude", false],
  ["claude", false],
  ["node /usr/bin/codex", false],
  ["", false],
])("the command line %j runs what is typed: %s", (line, bare) => {
  expect(isBareShell(line.split(" ").filter(Boolean))).toBe(bare);
});
