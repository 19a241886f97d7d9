import { expect, test } from "vitest";
import { byHandCommands } from "./by-hand-commands.ts";

const nest = {
  id: "hosted-acme-shop-ab12",
  owner: "ada",
  org: "acme",
  repos: ["acme/shop", "acme/web"],
  primary_repo: "acme/shop",
  acmm_level: 3,
  is_public: false,
  subdomain: "hosted-acme-shop-ab12.west.example.org",
};

test("the commands say all that the record says, and ask for secrets on standard input", () => {
  const { apply, verify, remove } = byHandCommands("https://hub.example.org", nest);
  expect(apply).toBe(`secrets='{"hub-secret":"…","github-token":"…"}'
printf '%s' "$secrets" | nest instance apply -kubeconfig KUBECONFIG -id hosted-acme-shop-ab12 \\
  -owner ada -org acme -repos acme/shop,acme/web -primary-repo acme/shop -level 3 -private -domain west.example.org -hub-url https://hub.example.org -secrets`);
  expect(verify).toBe("nest instance verify -kubeconfig KUBECONFIG -id hosted-acme-shop-ab12 -wait 300");
  expect(remove).toContain("-confirm hosted-acme-shop-ab12");
});

test("a nest with an app wants its key", () => {
  expect(byHandCommands("https://h", { ...nest, app_id: "7" }).apply).toMatch(/"app-key\.pem":"…".*-app-id 7/s);
});

test.each(["$(reboot)", "a; rm -rf /", "a'b", "-x", "a\nb"])(
  "a value %o that a shell would run is left out",
  (evil) => {
    const { apply } = byHandCommands("https://h", { ...nest, owner: evil, org: evil, repos: [evil] });
    expect(apply).not.toContain(evil);
    expect(apply).toContain("-owner …");
  },
);
