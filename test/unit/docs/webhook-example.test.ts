import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signWebhook } from "../../../src/services/webhooks/sign-webhook.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

const SECRET = "a secret";
const BODY = '{"success":true,"id":"1"}';
const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

/** Runs the example of the documentation with an event on its standard input. */
function verifyInPython(headers: Record<string, string>, body: string): string {
  const text = readFileSync(join(PROJECT_ROOT, "src/docs/endpoints/webhooks.md"), "utf8");
  const [, example = ""] = /```python\n(.*?)```/s.exec(text) ?? [];
  const program = `${example}\nimport json, sys\nsecret, headers, body = json.load(sys.stdin)\nprint(verify(secret, headers, body.encode()))\n`;
  const { stdout, stderr } = spawnSync("python3", ["-c", program], {
    input: JSON.stringify([SECRET, headers, body]),
    encoding: "utf8",
  });
  return stdout.trim() || stderr;
}

test.skipIf(!hasPython)("the example in Python accepts an event of now and refuses changed and old ones", async () => {
  const sign = async (nowMs: number): Promise<Record<string, string>> => ({
    ...(await signWebhook(SECRET, { webhookId: "event-1", body: new TextEncoder().encode(BODY), nowMs })),
  });
  const now = await sign(Date.now());
  expect(verifyInPython(now, BODY)).toBe("True");
  expect(verifyInPython(now, `${BODY} `)).toBe("False");
  expect(verifyInPython({ ...now, "webhook-timestamp": "x" }, BODY)).toBe("False");
  expect(verifyInPython(await sign(Date.now() - 301_000), BODY)).toBe("False");
});
