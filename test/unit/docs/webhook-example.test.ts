import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signWebhook } from "../../../src/services/webhooks/sign-webhook.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

const SECRET = "a secret";
const BODY = '{"success":true,"id":"1"}';
const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

/** Runs the example of the documentation with events on its standard input. @returns what it says of each of them */
function verifyInPython(events: [headers: Record<string, string>, body: string][]): string[] {
  const text = readFileSync(join(PROJECT_ROOT, "src/docs/endpoints/webhooks.md"), "utf8");
  const [, example = ""] = /```python\n(.*?)```/s.exec(text) ?? [];
  const program = `${example}\nimport json, sys\nsecret, events = json.load(sys.stdin)\nfor headers, body in events:\n  print(verify(secret, headers, body.encode()))\n`;
  const { stdout, stderr } = spawnSync("python3", ["-c", program], {
    input: JSON.stringify([SECRET, events]),
    encoding: "utf8",
  });
  return stdout === "" ? [stderr] : stdout.trim().split("\n");
}

test.skipIf(!hasPython)("the example in Python accepts an event of now and refuses changed and old ones", async () => {
  const sign = async (nowMs: number): Promise<Record<string, string>> => ({
    ...(await signWebhook(SECRET, { webhookId: "event-1", body: new TextEncoder().encode(BODY), nowMs })),
  });
  const now = await sign(Date.now());
  const said = verifyInPython([
    [now, BODY],
    [now, `${BODY} `],
    [{ ...now, "webhook-timestamp": "x" }, BODY],
    [await sign(Date.now() - 301_000), BODY],
  ]);
  expect(said).toEqual(["True", "False", "False", "False"]);
});
