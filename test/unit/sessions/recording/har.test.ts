import type { Protocol } from "devtools-protocol";
import { describe, expect, test } from "vitest";
import { HarLog, toHar, type NetworkEvent } from "../../../../src/sessions/recording/har.ts";

const URL = "https://example.com/list?page=2";

function sent(more: Partial<Protocol.Network.RequestWillBeSentEvent> = {}): NetworkEvent {
  const headers = { Accept: "text/html", Cookie: "sid=secret", Authorization: "Bearer secret" };
  const request = { url: URL, method: "GET", headers, initialPriority: "High", referrerPolicy: "no-referrer" } as const;
  const params = {
    requestId: "1",
    loaderId: "1",
    documentURL: URL,
    request,
    timestamp: 100,
    wallTime: 1_700_000_000,
    initiator: { type: "other" as const },
    redirectHasExtraInfo: false,
    type: "Document" as const,
    ...more,
  };
  return { method: "Network.requestWillBeSent", params };
}

function response(more: Partial<Protocol.Network.Response> = {}): Protocol.Network.Response {
  return {
    url: URL,
    status: 200,
    statusText: "OK",
    headers: { "Content-Type": "text/html", "Set-Cookie": "sid=secret" },
    mimeType: "text/html",
    protocol: "h2",
    remoteIPAddress: "192.0.2.7",
    ...more,
    // The rest of the protocol's fields is not looked at.
  } as Protocol.Network.Response;
}

const received = (more: Partial<Protocol.Network.Response> = {}): NetworkEvent => ({
  method: "Network.responseReceived",
  params: {
    requestId: "1",
    loaderId: "1",
    timestamp: 100.1,
    type: "Document",
    response: response(more),
    hasExtraInfo: false,
  },
});
const data = (dataLength: number): NetworkEvent => ({
  method: "Network.dataReceived",
  params: { requestId: "1", timestamp: 100.2, dataLength, encodedDataLength: dataLength },
});
const finished: NetworkEvent = {
  method: "Network.loadingFinished",
  params: { requestId: "1", timestamp: 100.5, encodedDataLength: 480 },
};

/** What a log makes of events, one after another. */
function entriesOf(...events: NetworkEvent[]) {
  const log = new HarLog();
  return events.flatMap((event) => log.receive("page_0", event) ?? []);
}

describe("a log of requests", () => {
  test("has an entry for each request that was answered", () => {
    const [entry, ...others] = entriesOf(sent(), received(), data(700), data(300), finished);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      pageref: "page_0",
      startedDateTime: "2023-11-14T22:13:20.000Z",
      time: 500,
      request: { method: "GET", url: URL, queryString: [{ name: "page", value: "2" }] },
      response: { status: 200, httpVersion: "h2", content: { size: 1000, mimeType: "text/html" }, bodySize: 480 },
      serverIPAddress: "192.0.2.7",
      _resourceType: "document",
    });
  });

  test("keeps no cookies and no credentials", () => {
    const text = JSON.stringify(entriesOf(sent(), received(), finished));
    expect(text).not.toContain("secret");
    expect(text).toContain("Authorization");
  });

  test.each([
    "https://example.com/in?access_token=hush&page=2",
    "https://example.com/in?page=2&apiKey=hush#id_token=hush",
    "https://user:hush@example.com/in?X-Amz-Signature=hush&page=2&auth%5Ftoken=hush&a[password]=hush",
    "https://example.com/in?to=https://b.example/?token=hush&page=2",
  ])("keeps no credentials of %s", (url) => {
    const names = ["X-Api-Key", "X-Auth-Token", "X-CSRF-Token", "Api-Key", "x-session-id", "X-Hub-Signature-256"];
    const headers = { ...Object.fromEntries(names.map((name) => [name, "hush"])), Referer: url, "X-Author": "Ann" };
    const moved = response({ status: 302, headers: { Location: url } });
    const next = sent({ timestamp: 100.2, redirectResponse: moved, request: { ...nextRequest(), url, headers } });
    const entries = entriesOf(sent(), next, received(), finished);
    expect(JSON.stringify(entries)).not.toContain("hush");
    expect(entries[1]?.request.queryString).toContainEqual({ name: "page", value: "2" });
    expect(entries[0]?.response.redirectURL).toBe(entries[1]?.request.url);
  });

  test("has an entry for what failed, with the reason", () => {
    const failed: NetworkEvent = {
      method: "Network.loadingFailed",
      params: { requestId: "1", timestamp: 101, type: "Image", errorText: "net::ERR_ABORTED" },
    };
    expect(entriesOf(sent(), failed)).toMatchObject([
      { time: 1000, response: { status: 0, _error: "net::ERR_ABORTED" } },
    ]);
  });

  test("has an entry for each hop of a redirect", () => {
    const moved = response({ status: 302, headers: { Location: "/next" } });
    const next = sent({ timestamp: 100.2, redirectResponse: moved, request: { ...nextRequest() } });
    const entries = entriesOf(sent(), next, received(), finished);
    expect(entries.map(({ response }) => [response.status, response.redirectURL])).toEqual([
      [302, "https://example.com/next"],
      [200, ""],
    ]);
  });

  test("leaves out what is part of the page itself", () => {
    const inline = sent({ request: { ...nextRequest(), url: "data:text/plain,x" } });
    expect(entriesOf(inline, finished)).toEqual([]);
  });

  test("keeps little of a request or a response with long texts or many headers", () => {
    const long = "a".repeat(1_900_000);
    const url = `https://example.com/?${long}`;
    const headers = {
      [long]: long,
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, number) => [`x-${number}`, "a"])),
    };
    const request = { ...nextRequest(), url, headers, postData: long };
    const redirected = sent({
      request,
      redirectResponse: response({ url, headers, statusText: long, mimeType: long }),
    });
    const entries = entriesOf(sent({ request }), redirected, received({ headers }), finished);
    expect(entries).toHaveLength(2);
    for (const entry of entries) {
      expect(JSON.stringify(entry).length).toBeLessThan(50_000);
      expect(entry.request.url).toHaveLength(4_000);
      expect(entry.request.queryString).toEqual([{ name: "a".repeat(2_000), value: "" }]);
    }
  });

  test("forgets requests without an answer when they are large together", () => {
    const log = new HarLog();
    const request = { ...nextRequest(), url: `https://example.com/?${"a".repeat(10_000)}` };
    for (let number = 0; number < 2_000; number++) log.receive("page_0", sent({ requestId: `${number}`, request }));
    const end = (requestId: string) => ({ ...finished, params: { ...finished.params, requestId } }) as NetworkEvent;
    expect(log.receive("page_0", end("0"))).toBeUndefined();
    expect(log.receive("page_0", end("1999"))).toBeDefined();
    for (let number = 0; number < 5_000; number++) {
      log.receive("page_0", sent({ request }));
      expect(log.receive("page_0", finished)).toBeDefined();
    }
    expect(log.receive("page_0", end("1998"))).toBeDefined();
  });

  test("splits the time as the browser did, -1 for what did not happen", () => {
    const timing = {
      requestTime: 100,
      proxyStart: -1,
      proxyEnd: -1,
      dnsStart: 1,
      dnsEnd: 5,
      connectStart: 5,
      connectEnd: 20,
      sslStart: -1,
      sslEnd: -1,
      workerStart: -1,
      workerReady: -1,
      workerFetchStart: -1,
      workerRespondWithSettled: -1,
      sendStart: 20,
      sendEnd: 21,
      pushStart: 0,
      pushEnd: 0,
      receiveHeadersStart: 90,
      receiveHeadersEnd: 100,
    };
    const [entry] = entriesOf(sent(), received({ timing }), finished);
    expect(entry?.timings).toEqual({ blocked: 1, dns: 4, connect: 15, ssl: -1, send: 1, wait: 79, receive: 400 });
  });
});

test("an archive names its pages", () => {
  const { log } = toHar([{ url: URL, title: "", startMs: 0 }], [{}]);
  expect(log).toMatchObject({ version: "1.2", pages: [{ id: "page_0", title: URL }], entries: [{}] });
});

function nextRequest(): Protocol.Network.Request {
  return {
    url: "https://example.com/next",
    method: "GET",
    headers: {},
    initialPriority: "High",
    referrerPolicy: "no-referrer",
  };
}
