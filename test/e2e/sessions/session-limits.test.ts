import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { endSession, openSession, type CreatedSession } from "./browser-client.ts";
import { call } from "../client.ts";
import { shortAndLong } from "../../sample.ts";

interface Ran {
  success: boolean;
  stdout: string;
  stderr: string;
  result?: string;
  exitCode: number;
  killed: boolean;
  error?: string;
}

/** Before the first look at the others, when the harm has begun, and between two, so that these take the processor from nobody. */
const FIRST_LOOK_MS = 300;
const BETWEEN_LOOKS_MS = 3_000;

let session: CreatedSession;
let other: CreatedSession;
// On a busy machine the tests take longer than a session lives by default.
beforeAll(async () => {
  session = await openSession({ ttl: 3_600, activityTtl: 3_600 });
  other = await openSession({ ttl: 3_600, activityTtl: 3_600 });
});
afterAll(async () => {
  await endSession(session.id);
  await endSession(other.id);
});

async function run(id: string, code: string, more: { language?: string; timeout?: number } = {}): Promise<Ran> {
  const { status, text } = await call(`/v2/browser/${id}/execute`, { body: { code, ...more } });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as Ran;
}

/** While harmful code runs, `/health` answers and another session's code goes on, at least once. */
async function besideOthers(harm: Promise<Ran>): Promise<Ran> {
  const ended = harm.then(() => true);
  await Promise.race([ended, sleep(FIRST_LOOK_MS)]);
  do {
    const health = await fetch(`${inject("serviceUrl")}/health`);
    expect(health.status).toBe(200);
    const ran = await run(other.id, "6 * 7");
    expect(ran.result, JSON.stringify(ran)).toBe("42");
  } while (!(await Promise.race([ended, sleep(BETWEEN_LOOKS_MS, false)])));
  return harm;
}

describe("code that takes all it gets", () => {
  for (const { tags, entries } of shortAndLong(
    [
      { what: "an endless loop", code: "for (;;);" },
      { what: "endless microtasks", code: "const again = () => Promise.resolve().then(again); await again()" },
      { what: "an endless regular expression", code: "/^(a|a)*$/.test('a'.repeat(60) + 'b')" },
      { what: "a promise that never resolves", code: "await new Promise(() => undefined)" },
      { what: "an endless loop after an answer of the page", code: "await page.title(); while (true);" },
    ],
    ({ what }) => what === "an endless loop",
  ))
    test.each(entries)("$what ends after its time, and nobody else notices", { tags }, async ({ code }) => {
      const ran = await besideOthers(run(session.id, code, { timeout: 1 }));
      expect(ran).toMatchObject({ success: true, exitCode: 124, killed: true });
      expect(ran.stderr).toContain("stopped after 1 s");
      expect((await run(session.id, "1 + 1")).result).toBe("2");
    });

  for (const { tags, entries } of shortAndLong(
    [
      { what: "arrays", code: "for (;;) kept.push(new Array(1_000_000).fill(kept.length))" },
      { what: "buffers", code: "for (;;) kept.push(new Uint8Array(20_000_000).fill(1))" },
      { what: "strings", code: "for (;;) kept.push((kept.length + 'x'.repeat(1_000_000)).toUpperCase())" },
      {
        what: "memory of WebAssembly",
        code: "for (;;) { const m = new WebAssembly.Memory({ initial: 1000 }); new Uint8Array(m.buffer).fill(1); kept.push(m) }",
      },
    ],
    ({ what }) => what === "arrays",
  ))
    test.each(entries)("a hoard of $what ends that run alone", { tags }, async ({ code }) => {
      const ran = await besideOthers(run(session.id, `const kept = []; ${code}`, { timeout: 40 }));
      expect(ran).toMatchObject({ success: true, exitCode: 137, killed: true });
      expect(ran.stderr).toContain("too much memory");
      expect((await run(session.id, "1 + 1")).result).toBe("2");
    });

  test("a flood of output is cut", async () => {
    const ran = await run(session.id, "for (let i = 0; i < 200_000; i++) console.log('x'.repeat(100)); 'end'");
    expect(ran.result).toBe("end");
    expect(ran.stdout).toMatch(/x\n\[output cut: more than 1 MB\]\n$|\[output cut: more than 1 MB\]\n$/);
    expect(ran.stdout.length).toBeLessThan(1_000_100);
  });

  test("thousands of commands at once are answered", { tags: ["long"] }, async () => {
    const many = "await Promise.all(Array.from({ length: 1_000 }, () => page.title())).then((all) => all.length)";
    expect((await besideOthers(run(session.id, many, { timeout: 40 }))).result).toBe("1000");
  });

  test("more commands than the service holds cut the connection", { tags: ["long"] }, async () => {
    const many =
      "const cdp = await context.newCDPSession(page); for (let i = 0; i < 2_500; i++) cdp.send('Runtime.evaluate', { expression: 'new Promise(() => {})', awaitPromise: true }).catch(() => {}); await cdp.send('Runtime.evaluate', { expression: '1' })";
    const ran = await besideOthers(run(session.id, many, { timeout: 40 }));
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain("closed");
    expect((await run(session.id, "1 + 1")).result).toBe("2");
  });

  for (const { tags, entries } of shortAndLong(
    [
      { what: "an unhandled rejection", code: "Promise.reject(new Error('nobody')); 'on'" },
      { what: "process.exit", code: "process.exit(3)" },
      { what: "a timer that loops", code: "setTimeout(() => { for (;;); }, 0); 'on'" },
    ],
    ({ what }) => what === "an unhandled rejection",
  ))
    test.each(entries)("$what leaves the session as it is", { tags }, async ({ code }) => {
      await besideOthers(run(session.id, code, { timeout: 1 }));
      expect((await run(session.id, "1 + 1")).result).toBe("2");
    });

  test("a page that loops for ever is stopped with the code that waits for it", async () => {
    const ran = await besideOthers(run(session.id, "await page.evaluate(() => { for (;;); })", { timeout: 1 }));
    expect(ran).toMatchObject({ exitCode: 124, killed: true });
    expect((await run(session.id, "await page.evaluate(() => 1 + 1)")).result).toBe("2");
  });
});

// A process has room for some twenty: it is replaced once.
test(
  "twenty-four runs in a row leave nothing behind that counts against the next one",
  { timeout: 480_000, tags: ["long"] },
  async () => {
    for (let count = 0; count < 24; count++) {
      const ran = await run(other.id, `${count} * 2`);
      expect(ran.result, JSON.stringify(ran)).toBe(String(count * 2));
    }
  },
);

describe("scripts that take all they get", () => {
  beforeAll(async () => {
    await run(session.id, "echo kept > note", { language: "bash" });
  });

  const scripts = ["while :; do :; done", "for (( ; ; )); do echo x; done", "f() { f; f; }; f"];
  for (const { tags, entries } of shortAndLong(scripts, (script) => script.startsWith("while")))
    test.each(entries)("%s", { tags }, async (script) => {
      const ran = await besideOthers(run(session.id, script, { language: "bash", timeout: 1 }));
      expect(ran.success).toBe(true);
      expect([124, 126, 137]).toContain(ran.exitCode);
      expect(ran.stderr).not.toBe("");
      expect((await run(session.id, "cat note", { language: "bash" })).stdout).toBe("kept\n");
    });
});

test("a live view lets in fifty viewers, and closes the sockets of further ones with a reason", async () => {
  const url = new URL(session.liveViewUrl);
  const sockets: WebSocket[] = [];
  const watch = async (): Promise<string> => {
    const socket = new WebSocket(`ws://${url.host}${url.pathname}/socket${url.search}`);
    sockets.push(socket);
    return await new Promise<string>((resolve) => {
      socket.addEventListener("message", () => resolve("told"), { once: true });
      socket.addEventListener("close", ({ code, reason }) => resolve(`${code} ${reason}`), { once: true });
    });
  };
  try {
    const first = await Promise.all(Array.from({ length: 50 }, watch));
    expect(new Set(first)).toEqual(new Set(["told"]));
    expect(await watch()).toBe("4008 Too many viewers");
  } finally {
    for (const socket of sockets) socket.close();
  }
});
