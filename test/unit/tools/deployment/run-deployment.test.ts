import { describe, expect, test } from "vitest";
import { DeploymentError, type DeploymentParts, type Secrets } from "../../../../src/tools/deployment/deployment.ts";
import { runDeployment } from "../../../../src/tools/deployment/run-deployment.ts";

const NAMES = {
  worker: "orbweaver",
  database: "orbweaver",
  bucket: "orbweaver",
  queues: ["orbweaver-dead-letters", "orbweaver-tasks", "orbweaver-jobs"],
};
const SECRETS = ["API_KEY", "ADMIN_KEY", "WEBHOOK_SECRET", "PROFILE_ENCRYPTION_KEY", "BOT_AUTH_KEY"];
/** The Worker's own address, which is known once it is deployed. */
const AGENT = { SIGNATURE_AGENT: "https://orbweaver.acme.workers.dev" };
const ORDER = [
  "whoami",
  "d1 create orbweaver",
  "r2 bucket create orbweaver",
  "queues create orbweaver-dead-letters",
  "queues create orbweaver-tasks",
  "queues create orbweaver-jobs",
  "d1 migrations apply orbweaver --remote",
  "secret list --format json",
  "deploy --minify --var DNS_CHECK:beside --secrets-file /secrets",
  "secret bulk /secrets",
];

/** A Cloudflare account behind a wrangler that does what it is told, and fails once at a command that begins so. */
function account() {
  const there = new Set<string>();
  const secrets = new Map<string, string>();
  const calls: string[] = [];
  const kept = new Map<string, string>();
  let written: Secrets = {};
  let isMigrated = false;
  let isDeployed = false;
  let failing: { at: string; output: string; isDone?: boolean } | undefined;

  const perform = (call: string): { code: number; output: string } => {
    const [, kind, resource] = /^(d1|r2 bucket|queues) create (\S+)/.exec(call) ?? [];
    if (kind !== undefined) {
      const name = `${kind} ${resource}`;
      if (there.has(name))
        return { code: 1, output: `X [ERROR] A ${kind} with that name already exists [code: 10004]` };
      there.add(name);
      return { code: 0, output: "Created" };
    }
    if (call.startsWith("d1 migrations")) {
      if (!there.has("d1 orbweaver")) return { code: 1, output: "Couldn't find DB" };
      isMigrated = true;
    }
    if (call.startsWith("secret list")) {
      if (!isDeployed) return { code: 1, output: `Worker "orbweaver" not found.` };
      return { code: 0, output: JSON.stringify([...secrets.keys()].map((name) => ({ name, type: "secret_text" }))) };
    }
    if (call.startsWith("secret bulk")) for (const [name, value] of Object.entries(written)) secrets.set(name, value);
    if (call.startsWith("deploy")) {
      if (!isMigrated) throw new Error("A Worker was deployed before its database");
      if (call.includes("--secrets-file"))
        for (const [name, value] of Object.entries(written)) secrets.set(name, value);
      isDeployed = true;
      return {
        code: 0,
        output: "Uploaded\nDeployed orbweaver triggers\n  https://orbweaver.acme.workers.dev\n  schedule",
      };
    }
    return { code: 0, output: "" };
  };

  const parts: DeploymentParts = {
    async wrangler(words) {
      const call = words.join(" ");
      calls.push(call);
      if (failing !== undefined && call.startsWith(failing.at)) {
        const { output, isDone } = failing;
        failing = undefined;
        if (isDone) perform(call);
        return { code: 1, output };
      }
      return perform(call);
    },
    names: NAMES,
    configWords: [],
    given: {},
    async makeUp(names) {
      for (const name of names) if (!kept.has(name)) kept.set(name, `${name}-${kept.size}`);
      return Object.fromEntries(names.map((name) => [name, kept.get(name) ?? ""]));
    },
    async writeSecrets(texts) {
      written = texts;
      return "/secrets";
    },
    say: () => {},
  };
  return {
    parts,
    calls,
    secrets,
    failNext: (at: string, output = "broken", isDone = false) => (failing = { at, output, isDone }),
  };
}

describe("a deployment", () => {
  test("makes everything on the first run, in an order in which nothing is missing", async () => {
    const { parts, calls, secrets } = account();
    const done = await runDeployment(parts);
    expect(calls).toEqual(ORDER);
    expect(done.url).toBe("https://orbweaver.acme.workers.dev");
    expect(done.created).toHaveLength(5);
    expect(Object.keys(done.secrets).toSorted()).toEqual(SECRETS.toSorted());
    expect(Object.fromEntries(secrets)).toEqual({ ...done.secrets, ...AGENT });
  });

  test("tells what was made up from what was given", async () => {
    const given = { API_KEY: "fc-given", LLM_API_KEY: "hush" };
    const { secrets, madeUp } = await runDeployment({ ...account().parts, given });
    expect(secrets).toMatchObject(given);
    expect(Object.keys(madeUp).toSorted()).toEqual(SECRETS.filter((name) => name !== "API_KEY").toSorted());
  });

  test("makes the database and the bucket where it is told, and says that it moves none", async () => {
    const { parts, calls } = account();
    const said: string[] = [];
    const placed: DeploymentParts = { ...parts, location: "weur", say: (line) => said.push(line) };
    await runDeployment(placed);
    expect(calls.slice(1, 4)).toEqual([
      "d1 create orbweaver --location weur",
      "r2 bucket create orbweaver --location weur",
      "queues create orbweaver-dead-letters",
    ]);
    const notice = "What was there stays where it is: --location weur is for what is created";
    expect(said).not.toContain(notice);
    await runDeployment(placed);
    expect(said).toContain(notice);
  });

  test("makes nothing on the second run, and leaves the secrets as they are", async () => {
    const { parts, calls, secrets } = account();
    await runDeployment(parts);
    const before = new Map(secrets);
    calls.length = 0;
    const again = await runDeployment(parts);
    expect(calls).toEqual([...ORDER.slice(0, -2), "deploy --minify --var DNS_CHECK:beside"]);
    expect(again).toMatchObject({ created: [], secrets: {} });
    expect(secrets).toEqual(before);
  });

  test.each(ORDER)("that breaks off at “%s” goes on when it is run again, with the same secrets", async (call) => {
    for (const isDone of [false, true]) {
      const { parts, secrets, failNext } = account();
      failNext(call, "fetch failed", isDone);
      const error: unknown = await runDeployment(parts).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DeploymentError);
      expect(String(error)).toContain("was not reached");
      const set = new Map(secrets);
      const done = await runDeployment(parts);
      expect(done.url).toBe("https://orbweaver.acme.workers.dev");
      expect([...secrets.keys()].toSorted()).toEqual([...SECRETS, ...Object.keys(AGENT)].toSorted());
      expect(Object.fromEntries(secrets)).toMatchObject(AGENT);
      for (const [name, value] of set) expect(secrets.get(name)).toBe(value);
    }
  });

  test("sets what the owner gives in place of what is set", async () => {
    const { parts, secrets } = account();
    await runDeployment(parts);
    const done = await runDeployment({ ...parts, given: { ADMIN_KEY: "new" } });
    expect(done.secrets).toEqual({ ADMIN_KEY: "new" });
    expect(secrets.get("ADMIN_KEY")).toBe("new");
    expect(secrets.get("API_KEY")).not.toBe("new");
  });

  test.each([
    { at: "whoami", output: "You are not authenticated. Please run `wrangler login`.", remedy: "npx wrangler login" },
    { at: "r2 bucket", output: "Please enable R2 through the Dashboard. [code: 10042]", remedy: "enable it once" },
    { at: "queues", output: "Queues requires the Workers Paid plan", remedy: "--free" },
    {
      at: "deploy",
      output: "You need to register a workers.dev subdomain",
      remedy: "Register a workers.dev subdomain",
    },
  ])("says what to do when wrangler says $output", async ({ at, output, remedy }) => {
    const { parts, failNext } = account();
    failNext(at, output);
    await expect(runDeployment(parts)).rejects.toThrow(remedy);
  });

  test("tells every command which configuration it is for", async () => {
    const { parts, calls } = account();
    await runDeployment({ ...parts, configWords: ["--config", "free.toml"] }).catch(() => undefined);
    expect(calls.every((call) => call.endsWith("--config free.toml"))).toBe(true);
  });
});

describe("a deployment from a build of the platform", () => {
  test.each([
    ["d1 create orbweaver", "database orbweaver", "D1 Edit"],
    ["queues create orbweaver-tasks", "queue orbweaver-tasks", "Queues Edit"],
  ])("names the click when its token may not run “%s”", async (call, what, right) => {
    const { parts, failNext } = account();
    failNext(call, "X [ERROR] Authentication error [code: 10000]");
    const failure = await runDeployment({ ...parts, isBuild: true }).catch((error: unknown) => String(error));
    expect(failure).toContain(`may not create the ${what}`);
    expect(failure).toContain(right);
    expect(failure).not.toContain("wrangler login");
  });

  test("makes up no secrets, and asks for those that are missing by name", async () => {
    const { parts, calls } = account();
    const given = { API_KEY: "fc-given" };
    const failure = await runDeployment({ ...parts, given, isBuild: true }).catch((error: unknown) => String(error));
    expect(failure).toContain("The Worker has no ADMIN_KEY, WEBHOOK_SECRET, PROFILE_ENCRYPTION_KEY");
    expect(failure).not.toContain("fc-given");
    expect(calls.some((call) => call.startsWith("deploy"))).toBe(false);
  });

  test("deploys without the key that signs requests, and says so", async () => {
    const { parts } = account();
    const said: string[] = [];
    const needed = SECRETS.filter((name) => name !== "BOT_AUTH_KEY");
    const given = Object.fromEntries(needed.map((name) => [name, `given ${name}`]));
    const done = await runDeployment({ ...parts, given, isBuild: true, say: (line) => void said.push(line) });
    expect(done.url).toBe("https://orbweaver.acme.workers.dev");
    expect(said.join("\n")).toContain("no BOT_AUTH_KEY");
  });

  test("deploys with secrets that were given by name", async () => {
    const { parts, secrets } = account();
    const given = Object.fromEntries(SECRETS.map((name) => [name, `given ${name}`]));
    const done = await runDeployment({ ...parts, given, isBuild: true });
    expect(done.url).toBe("https://orbweaver.acme.workers.dev");
    expect(Object.fromEntries(secrets)).toEqual({ ...given, ...AGENT });
  });
});
