import { expect, test } from "vitest";
import type { CdpConnection, CdpEvent } from "../../../../src/platform/browser/cdp-connection.ts";
import { NetworkWatch } from "../../../../src/platform/live-view/network-watch.ts";

test("requests are watched until one is not wanted any more, and the browser is told", async () => {
  const sent: string[] = [];
  const send = async (method: string, _params: unknown, sessionId?: string) => {
    sent.push(`${method} ${sessionId ?? ""}`.trim());
    return { sessionId: "tab" };
  };
  const taken: string[] = [];
  const watch = new NetworkWatch({ send } as unknown as CdpConnection, (_tab, entry) => {
    taken.push(entry.request.url);
    return taken.length < 2;
  });
  watch.watchTab("t");
  await new Promise((resolve) => setTimeout(resolve, 0));
  const load = (id: string): void => {
    const events = [
      {
        method: "Network.requestWillBeSent",
        params: {
          requestId: id,
          timestamp: 1,
          wallTime: 1,
          type: "Fetch",
          request: { url: `https://a.example/${id}`, method: "GET", headers: {} },
        },
      },
      {
        method: "Network.responseReceived",
        params: {
          requestId: id,
          timestamp: 2,
          response: { status: 200, statusText: "OK", headers: {}, mimeType: "text/plain", protocol: "http/1.1" },
        },
      },
      { method: "Network.loadingFinished", params: { requestId: id, timestamp: 3, encodedDataLength: 1 } },
    ];
    for (const event of events) watch.receive({ ...event, sessionId: "tab" } as unknown as CdpEvent);
  };
  for (const id of ["1", "2", "3", "4"]) load(id);
  expect(taken).toEqual(["https://a.example/1", "https://a.example/2"]);
  expect(sent.filter((one) => one.startsWith("Network."))).toEqual(["Network.enable tab", "Network.disable tab"]);
  watch.watchTab("another");
  expect(sent.filter((one) => one.startsWith("Target.attachToTarget"))).toHaveLength(1);
});
