import { expect, test, vi } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { UnreadDocuments } from "../../../../src/http/scrape/unread-documents.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const LONG = "🧀x".repeat(200_000);

function documents() {
  let nowMs = 0;
  const unread = new UnreadDocuments({ maxChars: 1_000_000, nowMs: () => nowMs });
  const hasRoom = (teamId = "t"): boolean => {
    try {
      unread.checkRoom(teamId);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 1 });
      return false;
    }
  };
  const send = (left?: AbortSignal) => new Response(unread.bodyOf(LONG, "t", left));
  return { unread, hasRoom, send, pass: (ms: number) => void (nowMs += ms) };
}

test("a long document is sent in pieces, and a short one as it is", async () => {
  const { unread, send } = documents();
  expect(await send().text()).toBe(LONG);
  expect(unread.bodyOf("{}", "t")).toBe("{}");
});

test("documents that the clients of a team do not read leave no room for its further ones", async () => {
  const { hasRoom, send } = documents();
  const [first, second] = [send(), send()];
  expect(hasRoom()).toBe(false);
  expect(hasRoom("other")).toBe(true);
  await first.text();
  expect(hasRoom()).toBe(true);
  send();
  expect(hasRoom()).toBe(false);
  await second.body?.cancel();
  expect(hasRoom()).toBe(true);
});

test("the document of a client that has left, or reads nothing for two minutes, no longer counts", () => {
  const { hasRoom, send, pass } = documents();
  const leaving = new AbortController();
  send();
  send(leaving.signal);
  expect(hasRoom()).toBe(false);
  leaving.abort();
  expect(hasRoom()).toBe(true);
  send();
  expect(hasRoom()).toBe(false);
  pass(121_000);
  expect(hasRoom()).toBe(true);
});

test("without room, a scrape and the reading of one are refused before they cost anything", async () => {
  const check = vi.spyOn(UnreadDocuments.prototype, "checkRoom").mockImplementation(() => {
    throw new AppError("RATE_LIMITED", "Too much", { retryAfterSeconds: 1 });
  });
  try {
    const clock = fixedClock(Date.now());
    const keyLedger = memoryKeyLedger(clock);
    const app = testApp(testDeps({ clock, keyLedger }));
    const answers = [
      await app.post("/v2/scrape", { url: "https://a.example/" }),
      await app.ask("/v2/scrape/01a22db7-51d7-8572-8000-000000000042"),
    ];
    for (const { status, headers } of answers) expect([status, headers.get("Retry-After")]).toEqual([429, "1"]);
    expect(keyLedger.calls).toBe(0);
  } finally {
    check.mockRestore();
  }
});
