import { expect, test } from "vitest";
import type { CdpEvent } from "../../../../src/platform/browser/cdp-connection.ts";
import type { PageSession } from "../../../../src/platform/browser/page/page-session.ts";
import { interceptRequests } from "../../../../src/platform/browser/requests/intercept-requests.ts";
import type { TransferWatch } from "../../../../src/platform/browser/requests/transfer-watch.ts";

/** A page that is intercepted, and how its load ended. */
function intercepted() {
  const listeners: ((event: CdpEvent) => void)[] = [];
  const sent: string[] = [];
  const ends: Error[] = [];
  const checked: string[] = [];
  const connection = {
    onEvent: (listener: (event: CdpEvent) => void) => void listeners.push(listener),
    send: async (method: string) => void sent.push(method),
  };
  // An interception uses no more of a page, and of the watch of its transfers.
  const page = { connection, ids: { frameId: "main" }, end: (reason: Error) => void ends.push(reason) };
  interceptRequests({
    page: page as unknown as PageSession,
    request: { url: "https://example.com/", headers: {}, blockAds: false, ownHosts: [] },
    guard: {
      async check(url) {
        checked.push(url);
        return { kind: "allowed" };
      },
    },
    transfers: { owns: () => false } as unknown as TransferWatch,
  });
  const post = async (body: string, url = "https://example.com/x"): Promise<void> => {
    const entry = { bytes: btoa(body) };
    const request = {
      url,
      method: "POST",
      headers: {},
      postData: body,
      postDataEntries: [entry],
    };
    const params = { requestId: "1", request, frameId: "main", resourceType: "Fetch" };
    const event = { method: "Fetch.requestPaused", params, sessionId: "1" } as unknown as CdpEvent;
    for (const listener of listeners) listener(event);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { sent, ends, checked, post };
}

test("a page may send long bodies", async () => {
  const { sent, ends, post } = intercepted();
  for (let times = 0; times < 4; times++) await post("a".repeat(5_000_000));
  expect(ends).toEqual([]);
  expect(sent).toEqual(Array(4).fill("Fetch.continueRequest"));
});

test("the load of a page that sends long bodies again and again ends", async () => {
  const { sent, ends, post } = intercepted();
  const body = "a".repeat(10_000_000);
  for (let times = 0; times < 4; times++) await post(body);
  expect(sent.length).toBeLessThan(4);
  expect(ends[0]).toMatchObject({ outcome: { code: "SCRAPE_SITE_ERROR", message: expect.stringContaining("data") } });
});

test("a page may request a thousand origins, and of the others none is checked", async () => {
  const { sent, checked, post } = intercepted();
  await Promise.all(Array.from({ length: 1_003 }, (_, index) => post("", `https://n${index}.example/`)));
  await post("", "https://n1.example/again");
  expect(checked).toHaveLength(1_000);
  expect(sent.filter((method) => method === "Fetch.failRequest")).toHaveLength(3);
  expect(sent).toHaveLength(1_004);
});
