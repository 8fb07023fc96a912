import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { endSession, openSession, type CreatedSession } from "./browser-client.ts";
import { call, sitePage } from "../client.ts";
import { shortAndLong } from "../../sample.ts";
import { usualThings } from "../usual-things.ts";
import { giveVerbs, VERBS, type VerbAnswer } from "./shell-verbs.ts";

interface Ran {
  success: boolean;
  stdout: string;
  stderr: string;
  result?: string;
  exitCode: number;
  killed: boolean;
  truncated: boolean;
  warning?: string;
  error?: string;
}

const site = inject("siteUrl");
let session: CreatedSession;
let other: CreatedSession;
beforeAll(async () => {
  session = await openSession();
  other = await openSession();
});
afterAll(async () => {
  await endSession(session.id);
  await endSession(other.id);
});

async function run(code: string, more: { language?: string; timeout?: number } = {}): Promise<Ran> {
  const { status, text } = await call(`/v2/browser/${session.id}/execute`, { body: { code, ...more } });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as Ran;
}

const bash = (code: string, timeout = 30): Promise<Ran> => run(code, { language: "bash", timeout });

let answers: Promise<Map<string, VerbAnswer>> | undefined;

/** Returns what a command of `VERBS` wrote, all of which are given at the first call. */
async function answerTo(command: string): Promise<VerbAnswer> {
  answers ??= giveVerbs((script) => bash(script, 120), sitePage("/app/controls"));
  // A test that is tried again gives them again.
  answers.catch(() => (answers = undefined));
  const answer = (await answers).get(command);
  if (answer === undefined) throw new Error(`The script did not come to ${command}`);
  return answer;
}

test("a field that does not exist is named in the warning", async () => {
  const { text } = await call(`/v2/browser/${session.id}/execute`, { body: { code: "1", timeOut: 5 } });
  expect(JSON.parse(text)).toMatchObject({ result: "1", warning: "timeOut: it is unknown and has no effect." });
});

describe("Playwright code", () => {
  test("does twenty-two usual things", async () => {
    const { stdout, stderr, result, exitCode, truncated } = await run(usualThings(site), { timeout: 60 });
    expect(stderr).toBe("");
    expect({ result, exitCode, truncated }).toEqual({ result: "all done", exitCode: 0, truncated: false });
    expect(stdout.split("\n").filter((line) => line.startsWith("ok "))).toHaveLength(22);
  });

  test("leaves tab, cookies and the page's variables for the next run", async () => {
    await run(
      `await page.goto(${JSON.stringify(sitePage("/final"))}); await page.evaluate(() => { window.marker = 7 })`,
    );
    expect(await run("await page.evaluate(() => window.marker)")).toMatchObject({ result: "7", exitCode: 0 });
    expect((await run("page.url()")).result).toBe(sitePage("/final"));
  });

  const results = [
    { what: "a text as it is", code: "'plain'", result: "plain" },
    { what: "data as JSON", code: "({ a: [1, null] })", result: '{"a":[1,null]}' },
    { what: "bytes in base 64", code: "new Uint8Array([1, 2])", result: "AQI=" },
    { what: "what is returned", code: "return 5", result: "5" },
    {
      what: "data as JSON, whatever the code makes of `JSON.stringify`",
      code: "const row = Array(1e3).fill({}); const all = Array(33).fill(Array(1e3).fill(row)); JSON.stringify = () => all; ({})",
      result: "{}",
    },
    { what: "nothing for a declaration", code: "const x = 1", result: undefined },
    { what: "nothing for undefined", code: "undefined", result: undefined },
    { what: "a response by its name", code: `await page.goto('${site}/final')`, result: `[Response ${site}/final]` },
  ];
  for (const { tags, entries } of shortAndLong(results, ({ what }) => /JSON|base 64|declaration/.test(what)))
    test.each(entries)("answers $what", { tags }, async ({ code, result }) => {
      const ran = await run(code);
      expect(ran.exitCode).toBe(0);
      expect(ran.result).toBe(result);
      expect(ran).not.toHaveProperty("error");
    });

  test("tells what went wrong, and where", async () => {
    const ran = await run("const a = 1;\nthrow new Error('run aground')");
    expect(ran).toMatchObject({ success: true, exitCode: 1, killed: false });
    expect(ran.error).toContain("Error: run aground\n    at line 2");
    expect((await run("let = ;")).stderr).toContain("SyntaxError");
    expect((await run("import fs from 'fs'")).stderr).toContain("Nothing can be imported");
  });

  test("is stopped when its time is over, and keeps what it wrote", { tags: ["long"] }, async () => {
    // On a busy machine, a second can pass before the code begins.
    const ran = await run("console.log('before'); await page.waitForTimeout(60_000)", { timeout: 4 });
    expect(ran).toMatchObject({ killed: true, exitCode: 124, stdout: "before\n" });
    expect((await run("1 + 1")).result).toBe("2");
  });
});

describe("code that means harm", () => {
  const reach = (what: string) => `try { ${what} } catch (error) { return "refused: " + error.message }`;

  const ways = [
    { what: "the network", code: "return await fetch('https://example.com/').then((a) => a.status)" },
    { what: "this machine", code: `return await fetch('${inject("serviceUrl")}/v2/browser').then((a) => a.status)` },
    {
      what: "sockets",
      code: "const { connect } = await import('cloudflare:sockets'); const s = connect('127.0.0.1:80'); await s.opened; return 'open'",
    },
    {
      what: "websockets",
      code: "return await fetch('https://example.com/', { headers: { Upgrade: 'websocket' } }).then((a) => a.status)",
    },
    {
      what: "node's network",
      code: "const net = await import('node:net'); return await new Promise((y, n) => net.connect(80, '127.0.0.1').on('connect', () => y('open')).on('error', n))",
    },
    { what: "eval", code: "return eval('1')" },
    { what: "new functions", code: "return new Function('return 1')()" },
  ];
  test("reaches no network and nothing of this machine, and evaluates no text", async () => {
    const attempts = ways.map(
      ({ what, code }) => `[${JSON.stringify(what)}]: await (async () => { ${reach(code)} })()`,
    );
    const { result = "" } = await run(`({ ${attempts.join(", ")} })`);
    const reached = JSON.parse(result) as Record<string, string>;
    expect(Object.keys(reached)).toEqual(ways.map(({ what }) => what));
    for (const [what, outcome] of Object.entries(reached)) expect(outcome, what).toMatch(/^refused: /);
  });

  test("finds no other session behind its gate", async () => {
    const code = `const { env } = await import("cloudflare:workers");
      const statuses = {};
      for (const path of ["/v1/devtools/browser/${other.id}", "/v1/devtools/browser/${session.id}", "/v1/sessions", "/v1/limits", "/v1/devtools/session"]) {
        const answer = await env.BROWSER.fetch("http://gate" + path, { headers: { Upgrade: "websocket" } });
        statuses[path] = [answer.status, answer.webSocket ?? null];
      }
      const made = await env.BROWSER.fetch("http://gate/v1/devtools/browser", { method: "POST" });
      ({ names: Object.keys(env), seen: [...new Set(Object.values(statuses).map(String))], made: made.status })`;
    expect(JSON.parse((await run(code)).result ?? "")).toEqual({ names: ["BROWSER"], seen: ["403,"], made: 403 });
  });

  test("finds no settings and no keys", async () => {
    const { result = "" } = await run("JSON.stringify([process.env, globalThis.env ?? null, Object.keys(globalThis)])");
    expect(result).not.toContain(inject("apiKey"));
    expect(JSON.parse(result)[0]).toEqual({});
  });

  test("sees neither the browser's machine nor private addresses", async () => {
    const opened = await run(reach("await page.goto('file:///etc/hostname'); return await page.content()"));
    expect(opened.result).toMatch(/^refused: /);
    const cdp = "const cdp = await context.newCDPSession(page);";
    const upload = await run(`${cdp} await cdp.send("DOM.setFileInputFiles", { files: ["/etc/hostname"] })`);
    expect(upload.stderr).toContain("cannot be read");
    const browserCdp = "const cdp = await browser.newBrowserCDPSession();";
    const hidden = { method: "DOM.setFileInputFiles", params: { files: ["/etc/hostname"] } };
    const wrapped = await run(
      `${browserCdp} await cdp.send("Target.sendMessageToTarget", { message: ${JSON.stringify(JSON.stringify(hidden))} })`,
    );
    expect(wrapped.stderr).toContain("flatten");
    const dropped = await run(
      `${cdp} await cdp.send("Input.dispatchDragEvent", { type: "drop", x: 9, y: 9, data: { items: [], files: ["/etc/hostname"], dragOperationsMask: 1 } })`,
    );
    expect(dropped.stderr).toContain("cannot be read");
    const proxied = await run(`await browser.newContext({ proxy: { server: "http://127.0.0.1:9" } })`);
    expect(proxied.stderr).toContain("proxy");
    const elsewhere = await run(
      `await page.route("**/code", (route) => route.continue({ url: ${JSON.stringify(`${inject("serviceUrl")}/health`)} })); ${reach(`await page.goto('${site}/code'); return await page.content()`)}`,
    );
    expect(elsewhere.result).toContain("ERR_BLOCKED_BY_CLIENT");
    const navigated = await run(`${cdp} await cdp.send("Page.navigate", { url: "file:///etc/hostname" })`);
    expect(navigated.stderr).toContain("Only web addresses");
    const service = await run(`await page.goto(${JSON.stringify(`${inject("serviceUrl")}/health`)})`);
    expect(service.stderr).toContain("ERR_BLOCKED_BY_CLIENT");
    const within = await run(
      `await page.goto('${site}/final'); await page.evaluate((url) => fetch(url, { mode: "no-cors" }).then(() => "got it", () => "blocked"), ${JSON.stringify(`${inject("serviceUrl")}/health`)})`,
    );
    expect(within.result).toBe("blocked");
  });

  test("has no network of its own, and is told so at once", async () => {
    const { result } = await run(`
      const reasons = [];
      const refused = (asked) => asked.catch((error) => reasons.push(error.message));
      await refused(page.request.get("${site}/final"));
      await refused(context.request.post("${site}/final"));
      await page.route("**/final", async (route) => {
        await refused(route.fetch());
        await route.continue();
      });
      await page.goto("${site}/final");
      await page.unrouteAll();
      reasons`);
    const reasons = JSON.parse(result ?? "[]");
    expect(reasons).toHaveLength(3);
    for (const reason of reasons) expect(reason).toContain("has no network of its own");
  });

  test("opens no socket from documents that came from nowhere", async () => {
    const { host } = new URL(inject("serviceUrl"));
    const socket = `() => new Promise((resolve) => {
      const socket = new WebSocket("ws://${host}/");
      addEventListener("securitypolicyviolation", () => resolve("refused"));
      socket.onopen = socket.onclose = () => setTimeout(resolve, 500, "asked");
    })`;
    const ran = await run(`
      await page.route("**/made-up", (route) => route.fulfill({ contentType: "text/html", body: "<p>made up" }));
      const seen = [];
      for (const url of ["about:blank", "${site}/made-up"]) {
        await page.goto(url);
        seen.push(await page.evaluate(${socket}));
      }
      await page.unrouteAll();
      await page.goto("about:blank");
      await page.setContent("<p>set");
      seen.push(await page.evaluate(${socket}));
      seen`);
    expect(ran.stderr).toBe("");
    expect(JSON.parse(ran.result ?? "")).toEqual(["refused", "refused", "refused"]);
    const bypass = await run("const own = await browser.newContext({ bypassCSP: true }); await own.newPage()");
    expect(bypass.stderr).toContain("policies");
  });

  test("cannot change the service by changing prototypes", async () => {
    await run(
      `Object.prototype.polluted = "yes"; Array.prototype.map = () => ["broken"]; Promise.prototype.then = null; JSON.stringify = () => "{}"; 1`,
      { timeout: 5 },
    );
    await run(
      `for (const key of ["exitCode", "killed", "stdout"]) Object.defineProperty(Object.prototype, key, { value: 99, writable: true }); 2`,
    );
    const ran = await run("[typeof ({}).polluted, [1].map((x) => x + 1)[0]]");
    expect(ran).toMatchObject({ result: '["undefined",2]', exitCode: 0, stdout: "" });
  });

  test("cannot write without end", { tags: ["long"] }, async () => {
    const ran = await run("for (let i = 0; i < 300; i++) console.log('x'.repeat(10_000)); 'y'.repeat(3_000_000)");
    expect(ran.stdout.length).toBeLessThan(1_000_100);
    expect(ran.truncated).toBe(true);
    expect(ran.stdout).toContain("[output cut: more than 1 MB]");
    expect(ran.result).toContain("[output cut: more than 1 MB]");
  });

  test("cannot keep working after it was stopped", async () => {
    const url = JSON.stringify(`${site}/code`);
    await run(`await page.goto('${site}/final')`);
    const looping = await run(`for (;;) { await page.goto(${url}); await page.waitForTimeout(50) }`, { timeout: 1 });
    expect(looping.killed).toBe(true);
    // Ten of its rounds.
    const stays = `await page.goto('${site}/final'); await page.waitForTimeout(500); page.url()`;
    expect((await run(stays)).result).toBe(`${site}/final`);
  });

  test("grows no further than its time", { tags: ["long"] }, async () => {
    const ran = await run(
      "const kept = []; while (true) { kept.push(new Uint8Array(1_000_000)); await page.waitForTimeout(100) }",
      { timeout: 2 },
    );
    expect(ran).toMatchObject({ killed: true });
    expect((await run("'alive'")).result).toBe("alive");
  });

  test("ends nobody's browser but its own connection", async () => {
    await run("await browser.close()");
    const closed = await run('const cdp = await browser.newBrowserCDPSession(); await cdp.send("Browser.close"); 1');
    expect(closed.exitCode).toBe(0);
    expect((await run("'alive'")).result).toBe("alive");
  });
});

describe("the shell", () => {
  test("works with the page by references of a snapshot", async () => {
    const seen = await bash(`agent-browser open ${sitePage("/login")} && agent-browser snapshot -i`);
    expect(seen.exitCode).toBe(0);
    const ref = (name: string): string =>
      new RegExp(`"${name}" \\[ref=(e\\d+)\\]`).exec(seen.stdout)?.[1] ?? `no ${name} in ${seen.stdout}`;
    const filled = await bash(
      `agent-browser fill @${ref("Name")} halloran && agent-browser fill @${ref("Password")} seven-fathoms && agent-browser click @${ref("Sign in")}`,
    );
    expect(filled.stderr).toBe("");
    const { stdout } = await bash("agent-browser wait --url '**/account' && agent-browser get url");
    expect(stdout.trim().split("\n").at(-1)).toBe(sitePage("/account"));
  });

  test.each([
    { what: "pipes and redirection", code: "echo b a | tr ' ' '\\n' | sort > f.txt; cat f.txt", stdout: "a\nb\n" },
    { what: "files of earlier runs", code: "cat f.txt | wc -l", stdout: /^\s*2\n$/ },
    { what: "variables and jq", code: "X='{\"a\":[1,2]}'; echo $X | jq '.a[1]'", stdout: "2\n" },
    { what: "functions and loops", code: 'f() { echo "<$1>"; }; for i in 1 2; do f $i; done', stdout: "<1>\n<2>\n" },
    { what: "conditions", code: "false || echo no; test -f f.txt && echo yes", stdout: "no\nyes\n" },
  ])("knows $what", async ({ code, stdout }) => {
    const ran = await bash(code);
    expect(ran.stderr).toBe("");
    if (typeof stdout === "string") expect(ran.stdout).toBe(stdout);
    else expect(ran.stdout).toMatch(stdout);
  });

  test.each(VERBS)("agent-browser $command", async ({ command, stdout }) => {
    const ran = await answerTo(command);
    expect(ran.stderr).toBe("");
    expect(ran.exitCode).toBe(0);
    if (typeof stdout === "string") expect(ran.stdout).toBe(stdout);
    else expect(ran.stdout).toMatch(stdout);
  });

  test("finds by label, placeholder, text and role, and acts", { tags: ["long"] }, async () => {
    await bash(`agent-browser open ${sitePage("/form")}`);
    const ran = await bash(
      `agent-browser find label "Your name" fill "Ada Lovelace" && agent-browser get value "#name, [name=name]" ; agent-browser find role link click --name Articles && agent-browser get url`,
    );
    expect(ran.stdout).toContain("Filled");
    expect(ran.stdout).toContain("/articles");
  });

  test("says what it does not know", async () => {
    for (const command of ["click @e999", "dance", "get", "click", "find colour red", "tab 99"]) {
      const ran = await bash(`agent-browser ${command}`);
      expect(ran.exitCode, command).toBe(1);
      expect(ran.stderr, command).toMatch(/^agent-browser: /);
    }
  });

  test("has no network and stops in time", async () => {
    expect((await bash("curl https://example.com")).exitCode).toBe(127);
    expect((await bash("env")).stdout).not.toContain(inject("apiKey"));
    expect(await bash("while true; do sleep 0.2; done", 1)).toMatchObject({ killed: true, exitCode: 124 });
    expect((await bash("echo alive")).stdout).toBe("alive\n");
  });

  test("prints a screenshot without a file as base 64", { tags: ["long"] }, async () => {
    const { stdout } = await bash("agent-browser screenshot");
    expect(Buffer.from(stdout, "base64").subarray(1, 4).toString()).toBe("PNG");
  });
});

describe("running code", () => {
  test("in Python is refused with what to use instead", async () => {
    const { status, body } = await call(`/v2/browser/${session.id}/execute`, {
      body: { code: "1", language: "python" },
    });
    expect(status).toBe(400);
    expect(body.error).toContain("Use language node");
    const { body: known } = await call("/v2/capabilities");
    expect(known.data).toMatchObject({ sessions: { available: true, languages: ["node", "bash"] } });
  });

  test.each([
    { why: "no code", body: {} },
    { why: "empty code", body: { code: "" } },
    { why: "too long a time", body: { code: "1", timeout: 301 } },
    { why: "an unknown language", body: { code: "1", language: "ruby" } },
  ])("is refused for $why", async ({ body }) => {
    expect((await call(`/v2/browser/${session.id}/execute`, { body })).status).toBe(400);
  });

  test("needs a session that there is", async () => {
    const unknown = await call(`/v2/browser/${crypto.randomUUID()}/execute`, { body: { code: "1" } });
    expect(unknown).toMatchObject({ status: 404, body: { error: "Browser session not found." } });
    await endSession(other.id);
    const ended = await call(`/v2/browser/${other.id}/execute`, { body: { code: "1" } });
    expect(ended).toMatchObject({ status: 410, body: { error: "Browser session has been destroyed." } });
  });
});

test(
  "activity lists every execution under an id of its own, and calls of a scrape's session as interact",
  { tags: ["long"] },
  async () => {
    interface Entry {
      id: string;
      endpoint: string;
    }
    const entries = async (endpoint: string): Promise<Entry[]> =>
      (JSON.parse((await call(`/v2/team/activity?endpoint=${endpoint}&limit=100`)).text) as { data: Entry[] }).data;
    await run("1");
    await run("2");
    const ids = (await entries("browser")).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(2);
    expect(new Set(ids).size).toBe(ids.length);

    const { metadata } = (await call("/v2/scrape", { body: { url: sitePage("/final") } })).body.data;
    await call(`/v2/scrape/${metadata.scrapeId}/interact`, { body: { code: "1" } });
    await call(`/v2/scrape/${metadata.scrapeId}/interact`, { method: "DELETE" });
    await expect.poll(async () => (await entries("interact")).length).toBeGreaterThan(0);
  },
);
