import { copyText } from "../../core/text/copy-text.ts";
import { isSecretHeader, withoutSecrets } from "./secret-names.ts";
import type { Protocol } from "devtools-protocol";

/** One request and its answer, as in an HTTP Archive (HAR 1.2, § entries). Bodies are not kept. */
export interface HarEntry {
  pageref: string;
  startedDateTime: string;
  /** Ms. */
  time: number;
  request: {
    method: string;
    url: string;
    httpVersion: string;
    cookies: never[];
    headers: HarHeader[];
    queryString: HarHeader[];
    headersSize: number;
    bodySize: number;
  };
  response: {
    status: number;
    statusText: string;
    httpVersion: string;
    cookies: never[];
    headers: HarHeader[];
    content: { size: number; mimeType: string };
    redirectURL: string;
    headersSize: number;
    bodySize: number;
    _error?: string;
  };
  cache: Record<string, never>;
  timings: { blocked: number; dns: number; connect: number; ssl: number; send: number; wait: number; receive: number };
  serverIPAddress?: string;
  _resourceType: string;
}

interface HarHeader {
  name: string;
  value: string;
}

/** The parts of a request that its entry needs, until it ends. */
interface Pending {
  pageref: string;
  request: HarEntry["request"];
  type: string;
  /** Seconds, as the events have them. */
  wallTime: number;
  timestamp: number;
  response?: Answer;
  received: number;
  /** Characters of the request and the response, as JSON. */
  chars: number;
}

/** The parts of a response that its entry needs. */
interface Answer extends Pick<HarEntry["response"], "status" | "statusText" | "headers"> {
  httpVersion: string;
  mimeType: string;
  timing?: Protocol.Network.ResourceTiming;
  remoteIPAddress?: string;
}

/** Events that a recording subscribes to. */
export type NetworkEvent =
  | { method: "Network.requestWillBeSent"; params: Protocol.Network.RequestWillBeSentEvent }
  | { method: "Network.responseReceived"; params: Protocol.Network.ResponseReceivedEvent }
  | { method: "Network.dataReceived"; params: Protocol.Network.DataReceivedEvent }
  | { method: "Network.loadingFinished"; params: Protocol.Network.LoadingFinishedEvent }
  | { method: "Network.loadingFailed"; params: Protocol.Network.LoadingFailedEvent };

const REDACTED = "(not recorded)";
const URL_HEADERS = new Set(["location", "content-location", "referer", "refresh"]);
const MAX_URL = 4_000;
const MAX_TEXT = 2_000;
const MAX_HEADERS = 200;
const MAX_PENDING = 5_000;
const MAX_PENDING_CHARS = 10_000_000;

/** Builds entries of an HTTP Archive (HAR) from the browser's network events. */
export class HarLog {
  readonly #pending = new Map<string, Pending>();
  #pendingChars = 0;

  /** Takes an event of a tab. @returns the entry that is complete with it */
  receive(pageref: string, event: NetworkEvent): HarEntry | undefined {
    const { requestId } = event.params;
    const pending = this.#pending.get(requestId);
    switch (event.method) {
      case "Network.requestWillBeSent":
        return this.#sent(pageref, event.params, pending);
      case "Network.responseReceived":
        if (pending !== undefined) this.#answered(pending, toAnswer(event.params.response));
        return undefined;
      case "Network.dataReceived":
        if (pending !== undefined) pending.received += event.params.dataLength;
        return undefined;
      case "Network.loadingFinished": {
        this.#forget(requestId);
        const { timestamp, encodedDataLength } = event.params;
        return pending === undefined ? undefined : toEntry(pending, { endSeconds: timestamp, encodedDataLength });
      }
      case "Network.loadingFailed": {
        this.#forget(requestId);
        const { timestamp, errorText } = event.params;
        return pending === undefined ? undefined : toEntry(pending, { endSeconds: timestamp, error: errorText });
      }
    }
  }

  /** A redirect is reported with the request that follows it, under the same id. */
  #sent(pageref: string, sent: Protocol.Network.RequestWillBeSentEvent, before: Pending | undefined) {
    if (sent.request.url.startsWith("data:")) return undefined;
    this.#forget(sent.requestId);
    this.#makeRoom();
    const { wallTime, timestamp, type = "Other" } = sent;
    const request = toRequest(sent.request);
    const chars = JSON.stringify(request).length;
    this.#pending.set(sent.requestId, { pageref, request, type, wallTime, timestamp, received: 0, chars });
    this.#pendingChars += chars;
    if (before === undefined || sent.redirectResponse === undefined) return undefined;
    const answered = { ...before, response: toAnswer(sent.redirectResponse) };
    return toEntry(answered, { endSeconds: timestamp, redirectUrl: request.url });
  }

  #answered(pending: Pending, response: Answer): void {
    const chars = JSON.stringify(response).length;
    pending.response = response;
    pending.chars += chars;
    this.#pendingChars += chars;
    this.#makeRoom();
  }

  /** Forgets all requests without an end when they are too many or too long. */
  #makeRoom(): void {
    if (this.#pending.size < MAX_PENDING && this.#pendingChars < MAX_PENDING_CHARS) return;
    this.#pending.clear();
    this.#pendingChars = 0;
  }

  #forget(requestId: string): void {
    this.#pendingChars -= this.#pending.get(requestId)?.chars ?? 0;
    this.#pending.delete(requestId);
  }
}

/** A whole archive (HAR 1.2, § log). */
export function toHar(pages: readonly { url: string; title: string; startMs: number }[], entries: readonly unknown[]) {
  return {
    log: {
      version: "1.2",
      creator: { name: "Orbweaver", version: "1" },
      pages: pages.map(({ url, title, startMs }, place) => ({
        id: `page_${place}`,
        title: title === "" ? url : title,
        startedDateTime: new Date(startMs).toISOString(),
        pageTimings: { onContentLoad: -1, onLoad: -1 },
      })),
      entries,
    },
  };
}

/** Returns the text of an archive before and after its entries, which stand between them with a comma between each two. */
export function harFrame(pages: Parameters<typeof toHar>[0]): { head: string; tail: string } {
  const text = JSON.stringify(toHar(pages, []));
  const tail = "]}}";
  return { head: text.slice(0, -tail.length), tail };
}

interface Ending {
  endSeconds: number;
  encodedDataLength?: number;
  error?: string;
  redirectUrl?: string;
}

function toEntry({ pageref, request, type, response, ...pending }: Pending, ending: Ending): HarEntry {
  const time = Math.max(0, (ending.endSeconds - pending.timestamp) * 1000);
  const httpVersion = response?.httpVersion ?? "";
  return {
    pageref,
    startedDateTime: new Date(pending.wallTime * 1000).toISOString(),
    time,
    request: { ...request, httpVersion },
    response: {
      status: response?.status ?? 0,
      statusText: response?.statusText ?? "",
      httpVersion,
      cookies: [],
      headers: response?.headers ?? [],
      content: { size: pending.received, mimeType: response?.mimeType ?? "" },
      redirectURL: ending.redirectUrl ?? "",
      headersSize: -1,
      bodySize: ending.encodedDataLength ?? -1,
      ...(ending.error === undefined ? {} : { _error: ending.error }),
    },
    cache: {},
    timings: toTimings(response?.timing, time),
    ...(response?.remoteIPAddress === undefined ? {} : { serverIPAddress: response.remoteIPAddress }),
    _resourceType: type.toLowerCase(),
  };
}

/** The HTTP version is known with the response. */
function toRequest({ method, url, headers, hasPostData }: Protocol.Network.Request): HarEntry["request"] {
  const shown = withoutSecrets(start(url, MAX_URL));
  const query = [...(URL.parse(shown)?.searchParams ?? [])];
  return {
    method: start(method),
    url: shown,
    httpVersion: "",
    cookies: [],
    headers: toHeaders(headers),
    queryString: query.slice(0, 200).map(([name, value]) => ({ name: start(name), value: start(value) })),
    headersSize: -1,
    bodySize: hasPostData === true ? -1 : 0,
  };
}

function toAnswer(response: Protocol.Network.Response): Answer {
  const { status, statusText, headers, protocol = "", mimeType, timing, remoteIPAddress } = response;
  return {
    status,
    statusText: start(statusText),
    httpVersion: start(protocol),
    headers: toHeaders(headers),
    mimeType: start(mimeType),
    ...(timing && { timing }),
    ...(remoteIPAddress === undefined ? {} : { remoteIPAddress }),
  };
}

function toHeaders(headers: Protocol.Network.Headers): HarHeader[] {
  const first = Object.entries(headers).slice(0, MAX_HEADERS);
  return first.map(([name, value]) => ({
    name: start(name),
    value: isSecretHeader(name) ? REDACTED : headerValue(name, start(String(value), MAX_URL)),
  }));
}

/** Headers with a URL have that of their page, or of the next one. */
function headerValue(name: string, value: string): string {
  return URL_HEADERS.has(name.toLowerCase()) ? withoutSecrets(value) : start(value);
}

/** Returns the beginning of a text. */
function start(text: string, maxChars = MAX_TEXT): string {
  return text.length <= maxChars ? text : copyText(text.slice(0, maxChars));
}

/** HAR 1.2, § timings: -1 for what does not apply. */
function toTimings(timing: Protocol.Network.ResourceTiming | undefined, time: number): HarEntry["timings"] {
  if (timing === undefined) {
    return { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: time, receive: 0 };
  }
  const span = (start: number, end: number): number => (start < 0 || end < 0 ? -1 : end - start);
  return {
    blocked: Math.max(-1, timing.dnsStart >= 0 ? timing.dnsStart : timing.sendStart),
    dns: span(timing.dnsStart, timing.dnsEnd),
    connect: span(timing.connectStart, timing.connectEnd),
    ssl: span(timing.sslStart, timing.sslEnd),
    send: Math.max(0, timing.sendEnd - timing.sendStart),
    wait: Math.max(0, timing.receiveHeadersEnd - timing.sendEnd),
    receive: Math.max(0, time - timing.receiveHeadersEnd),
  };
}
