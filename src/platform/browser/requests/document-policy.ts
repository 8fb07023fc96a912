import type { Protocol } from "devtools-protocol";

type Headers = readonly Protocol.Fetch.HeaderEntry[];

/**
 * Everything but popups and downloads: a sandboxed page can open no window that request interception would not see.
 * Its origin, storage, scripts and forms stay as they are.
 */
const SANDBOX = [
  "allow-forms",
  "allow-modals",
  "allow-orientation-lock",
  "allow-pointer-lock",
  "allow-presentation",
  "allow-same-origin",
  "allow-scripts",
  "allow-storage-access-by-user-activation",
  "allow-top-navigation",
].join(" ");

/** Of the body as it came over the wire; what is handed on is decoded and complete. */
const TRANSFER_HEADERS = ["content-length", "content-encoding", "transfer-encoding"];

/**
 * What has a policy added is shown, not followed, and Chromium would wait for the address of a made-up redirect. A page
 * may not be sandboxed and have an opener policy (HTML § 7.1.3); cookies were already stored; prefetches do not
 * pass through interception.
 */
const DROPPED_HEADERS = new Set([
  ...TRANSFER_HEADERS,
  "location",
  "cross-origin-opener-policy",
  "cross-origin-opener-policy-report-only",
  "set-cookie",
  "speculation-rules",
]);

/**
 * The response headers of a document, with a second content security policy (CSP 3 § 4.2: all policies hold).
 * WebSockets do not pass through request interception; `connect-src` keeps them to the host that the page itself was
 * allowed to come from. Frames and blob workers inherit it.
 */
export function guardDocument(headers: Headers, url: string): Protocol.Fetch.HeaderEntry[] {
  return withPolicy(headers, `sandbox ${SANDBOX}; ${connectionPolicy(url)}; ${NO_WEBRTC}`);
}

/** The response headers of a worker's script: a worker has a policy of its own. */
export function guardWorker(headers: Headers, url: string): Protocol.Fetch.HeaderEntry[] {
  return withPolicy(headers, `${connectionPolicy(url)}; ${NO_WEBRTC}`);
}

/**
 * The response headers of what somebody else looks at: as above without the directive for WebRTC, of which browsers
 * that do not know it complain in the page's console.
 */
export function guardSockets(headers: Headers, url: string): Protocol.Fetch.HeaderEntry[] {
  return withPolicy(headers, connectionPolicy(url));
}

/** Statuses that Chromium follows a `Location` of; with any other one, or without it, the body is shown. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Whether a response that interception stops can become a document or the script of a worker: decided by the kind of the
 * request, which interception was told, and never by its media type, which Chromium guesses or overlooks.
 */
export function canRun(paused: Protocol.Fetch.RequestPausedEvent): boolean {
  const { resourceType, responseErrorReason, responseStatusCode: status = 0, responseHeaders = [] } = paused;
  if (responseErrorReason !== undefined || status < 200) return false;
  if (resourceType === "Document" && (status === 204 || status === 205)) return false;
  const isSentOn = responseHeaders.some(({ name, value }) => name.toLowerCase() === "location" && value.trim() !== "");
  return !(REDIRECTS.has(status) && isSentOn);
}

const NO_WEBRTC = "webrtc 'block'";

function withPolicy(headers: Headers, policy: string): Protocol.Fetch.HeaderEntry[] {
  const kept = headers.filter(({ name }) => !DROPPED_HEADERS.has(name.toLowerCase()));
  return [...kept, { name: "Content-Security-Policy", value: policy }];
}

function connectionPolicy(url: string): string {
  const { host, protocol } = new URL(url);
  const sockets = protocol === "http:" ? `ws://${host} wss://${host}` : `wss://${host}`;
  return `connect-src http: https: data: blob: ${sockets}`;
}
