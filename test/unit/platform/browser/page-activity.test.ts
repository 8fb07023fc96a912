import { expect, test } from "vitest";
import type { CdpEvent } from "../../../../src/platform/browser/cdp-connection.ts";
import { PageActivity } from "../../../../src/platform/browser/page/page-activity.ts";
import type { PageSession } from "../../../../src/platform/browser/page/page-session.ts";

/** The activity of a page that gets events by hand, and the commands that it is sent. */
function watched() {
  const sent: string[] = [];
  let receive: (event: CdpEvent) => void = () => undefined;
  const page = {
    ids: { sessionId: "s", frameId: "f" },
    connection: { onEvent: (listener: (event: CdpEvent) => void) => (receive = listener) },
    trySend: async (method: string) => void sent.push(method),
    forgetWorld: () => undefined,
  };
  const activity = new PageActivity(page as unknown as PageSession);
  let count = 0;
  const request = (url: string): void => {
    const params = { requestId: String(count++), type: "Fetch", request: { url } };
    receive({ method: "Network.requestWillBeSent", sessionId: "s", params } as unknown as CdpEvent);
  };
  const happen = (method: string, params: object): void =>
    receive({ method, sessionId: "s", params } as unknown as CdpEvent);
  return { activity, request, sent, happen };
}

test("a page waits for its requests, but not for addresses that have their content", () => {
  const { activity, request } = watched();
  request("data:text/plain,1");
  expect(activity.quietMs()).toBeGreaterThan(0);
  request("https://example.com/1");
  expect(activity.quietMs()).toBe(0);
});

test("the requests of a page that makes thousands of them are not watched any more, and it counts as quiet", async () => {
  const { activity, request, sent } = watched();
  for (let at = 0; at < 5_000; at++) request(`https://example.com/${at}`);
  expect([activity.quietMs(), sent]).toEqual([0, []]);
  for (let at = 0; at < 100; at++) request(`https://example.com/more/${at}`);
  expect(sent).toEqual(["Network.disable"]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(activity.quietMs()).toBeGreaterThan(0);
});

test("a load event that was given up is not waited for again, that of the next document is", () => {
  const { activity, happen } = watched();
  const ask = (frameId: string): void =>
    happen("Network.requestWillBeSent", {
      requestId: "d",
      type: "Document",
      frameId,
      request: { url: "https://a.example/" },
    });
  happen("Page.frameStartedLoading", { frameId: "f" });
  expect(activity.isAwaitingLoad).toBe(true);
  activity.giveUpLoad();
  expect([activity.isLoading, activity.isAwaitingLoad]).toEqual([true, false]);
  ask("a frame in it");
  expect(activity.isAwaitingLoad).toBe(false);
  ask("f");
  expect(activity.isAwaitingLoad).toBe(true);
  activity.giveUpLoad();
  happen("Page.frameNavigated", { frame: { id: "f" } });
  expect(activity.isAwaitingLoad).toBe(true);
  activity.giveUpLoad();
  happen("Page.frameStoppedLoading", { frameId: "f" });
  happen("Page.frameStartedLoading", { frameId: "f" });
  expect(activity.isAwaitingLoad).toBe(true);
});
