import { describe, expect, test } from "vitest";
import type { BrowserSessions } from "../../../src/ports/sessions/browser-session.ts";
import { createIdempotencyKeys } from "../../../src/storage/jobs/idempotency-keys.ts";
import { memoryBlobs } from "../../fakes/memory-blobs.ts";
import { monitorService, PRICES } from "../../fakes/monitor-service.ts";
import { nodeD1 } from "../../fakes/node-d1.ts";

function service() {
  const opened: string[] = [];
  const open = async ({ id, teamId }: { id: string; teamId: string }) => {
    opened.push(id);
    const life = { id, teamId, expiresAtMs: 1_800_000_000_000, recordSession: false };
    return { kind: "opened", view: { life, tokens: { cdp: "c", view: "v", drive: "d" } } };
  };
  const ports = {
    idempotencyKeys: createIdempotencyKeys(nodeD1()),
    blobs: memoryBlobs(),
    browserSessions: { open } as unknown as BrowserSessions,
  };
  const rest = monitorService({ ports });
  return { ...rest, opened };
}

const keyed = (key: string) => ({ headers: { "x-idempotency-key": key } });

describe("an idempotency key", () => {
  test("creates one monitor, however often the request is repeated", async () => {
    const { post, ask } = service();
    const key = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, () => post("/v2/monitor", PRICES, keyed(key))));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(texts).size).toBe(1);
    expect(((await (await ask("/v2/monitor")).json()) as { data: unknown[] }).data).toHaveLength(1);
    expect((await post("/v2/monitor", { ...PRICES, name: "Others" }, keyed(key))).status).toBe(409);
  });

  test.each([{ ttl: 60 }, undefined])("opens one browser session, with the body %o", async (body) => {
    const { ask, post, opened } = service();
    const key = crypto.randomUUID();
    const create = () => body === undefined ? ask("/v2/browser", { method: "POST", ...keyed(key) }) : post("/v2/browser", body, keyed(key)); // prettier-ignore
    const [first, second] = [await create(), await create()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toBe(await first.text());
    expect(opened).toHaveLength(1);
  });

  test.each(["/v2/monitor", "/v2/browser", "/v2/interact"])("that is no UUID is refused at %s", async (path) => {
    const { post, opened } = service();
    expect((await post(path, path === "/v2/monitor" ? PRICES : {}, keyed("no-uuid"))).status).toBe(409);
    expect(opened).toEqual([]);
  });
});
