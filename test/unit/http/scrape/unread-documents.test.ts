import { expect, test } from "vitest";
import { UnreadDocuments } from "../../../../src/http/scrape/unread-documents.ts";

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
