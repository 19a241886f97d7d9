import { KnownSecrets, secretsIn } from "@nest/agents";
import { describe, expect, test } from "vitest";

const OWN = "registration-token-of-mine";

describe("a secret of the contributor's own", () => {
  test("stays known however many credentials come and go", () => {
    const secrets = new KnownSecrets([OWN]);
    for (let round = 0; round < 1000; round += 1) {
      const task = {};
      secrets.learn(task, `ghs_credential_number_${round}`);
      secrets.taskEnded(task);
    }
    expect(secrets.redact(`it is ${OWN}`)).toBe("it is [secret]");
  });

  test("is known as JSON text and as a part of an address too", () => {
    const secrets = new KnownSecrets(['pa"ss/wörd with\nlines']);
    const shown = [JSON.stringify({ a: 'pa"ss/wörd with\nlines' }), encodeURIComponent('pa"ss/wörd with\nlines')];
    expect(shown.map((text) => secrets.redact(text))).toEqual(['{"a":"[secret]"}', "[secret]"]);
  });
});

describe("a credential of a task", () => {
  test("is known while its task lasts, however many others end", () => {
    const secrets = new KnownSecrets([]);
    const held = {};
    secrets.learn(held, "ghs_of_the_task_in_hand");
    for (let round = 0; round < 1000; round += 1) {
      const task = {};
      secrets.learn(task, `ghs_credential_number_${round}`);
      secrets.taskEnded(task);
    }
    expect(secrets.redact("ghs_of_the_task_in_hand")).toBe("[secret]");
  });

  test("stays known for a while after, and not for ever", () => {
    const secrets = new KnownSecrets([]);
    const known = (round: number) => secrets.redact(`ghs_credential_number_${round}!`) === "[secret]!";
    for (let round = 0; round < 300; round += 1) {
      const task = {};
      secrets.learn(task, `ghs_credential_number_${round}`);
      secrets.taskEnded(task);
    }
    expect([known(299), known(100), known(99), known(0)]).toEqual([true, true, false, false]);
  });

  test("that is said again and again pushes nothing out", () => {
    const secrets = new KnownSecrets([]);
    const task = {};
    secrets.learn(task, "ghs_first_of_the_task");
    for (let round = 0; round < 200; round += 1) secrets.learn(task, "ghs_said_again_and_again");
    expect(secrets.redact("ghs_first_of_the_task ghs_said_again_and_again")).toBe("[secret] [secret]");
  });

  test("that never came leaves nothing to forget", () => {
    const secrets = new KnownSecrets([OWN]);
    secrets.taskEnded({});
    expect(secrets.redact(`a task without one, and ${OWN}`)).toBe("a task without one, and [secret]");
  });

  test("that floods pushes out its own task's oldest alone", () => {
    const secrets = new KnownSecrets([OWN]);
    const [honest, flooding] = [{}, {}];
    secrets.learn(honest, "ghs_of_the_honest_hub");
    for (let round = 0; round < 5000; round += 1) secrets.learn(flooding, `ghs_credential_number_${round}`);
    expect(secrets.redact(`${OWN} ghs_of_the_honest_hub ghs_credential_number_4999`)).toBe(
      "[secret] [secret] [secret]",
    );
    const known = (round: number) => secrets.redact(`ghs_credential_number_${round}!`) === "[secret]!";
    expect([known(4900), known(4899)]).toEqual([true, false]);
  });

  test("is not struck out where only the contributor's own are", () => {
    const secrets = new KnownSecrets([OWN]);
    secrets.learn({}, "environment");
    expect(secrets.redactOwn(`environment ${OWN}`)).toBe("environment [secret]");
  });
});

describe("what an agent prints", () => {
  function printed(secrets: KnownSecrets, task: object, text: string): string {
    const mask = secrets.maskFor(task);
    return `${mask.take(Buffer.from(text))}${mask.end()}`;
  }

  test("shows neither what is the contributor's own nor its task's credential, however they are spelled", () => {
    const secrets = new KnownSecrets([OWN]);
    const task = {};
    secrets.learn(task, 'ghs/of "this" task');
    const said = `${OWN} ghs/of "this" task ghs%2Fof%20%22this%22%20task ghs/of \\"this\\" task`;
    expect(printed(secrets, task, said)).toBe("[secret] [secret] [secret] [secret]");
  });

  test("is not struck out for another task's sake, and a task without a credential has the contributor's own alone", () => {
    const secrets = new KnownSecrets([OWN]);
    secrets.learn({}, "environment");
    expect(printed(secrets, {}, `environment ${OWN}`)).toBe("environment [secret]");
  });

  test("shows no renewal from the moment it comes", () => {
    const secrets = new KnownSecrets([]);
    const task = {};
    const mask = secrets.maskFor(task);
    secrets.learn(task, "ghs_renewed_while_it_runs");
    expect(`${mask.take(Buffer.from("ghs_renewed_while_it_runs"))}${mask.end()}`).toBe("[secret]");
  });
});

test("an empty secret is none", () => {
  expect(new KnownSecrets([""]).redact("as it is")).toBe("as it is");
  expect(`${new KnownSecrets([""]).maskFor({}).take(Buffer.from("as it is"))}`).toBe("as it is");
});

describe("the environment's secrets", () => {
  test("are the values of variables that are named so", () => {
    const found = secretsIn({
      GH_TOKEN: "ghp_mine",
      MY_API_KEY: "k",
      NEST_REGISTRATION_TOKEN: "one,two",
      HOME: "/home/ada",
    });
    expect(found).toEqual(expect.arrayContaining(["ghp_mine", "k", "one", "two"]));
    expect(found).not.toContain("/home/ada");
  });

  test("are the credentials in addresses, as written, as meant and as sent", () => {
    const found = secretsIn({
      NEST_LITELLM_ENDPOINT: "https://ada:p%40ss@llm.example/v1",
      HTTPS_PROXY: "http://tokentoken@proxy:3128",
    });
    const sent = Buffer.from("ada:p@ss").toString("base64");
    expect(found).toEqual(expect.arrayContaining(["ada:p%40ss", "ada:p@ss", "p@ss", sent, "tokentoken"]));
  });

  test("are keys in an address's parameters", () => {
    expect(secretsIn({ HOOK: "https://x.example/?api_key=abcdefgh&page=2" })).toEqual(["abcdefgh"]);
  });

  test("are no file names, and an address that cannot be read is none", () => {
    expect(secretsIn({ TLS_KEY: "/etc/tls/key.pem", PROXY: "http://%zz:%@[", EMPTY_TOKEN: "" })).toEqual([]);
  });
});
