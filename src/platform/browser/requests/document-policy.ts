import type { Protocol } from "devtools-protocol";

type Headers = readonly Protocol.Fetch.HeaderEntry[];

/**
 * Everything but popups and downloads: a sandboxed page cannot open a window that request interception does not see.
 * Its origin, storage, scripts and forms are unaffected.
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

/** Headers of the transferred body; the body that is passed on is decoded and complete. */
const TRANSFER_HEADERS = ["content-length", "content-encoding", "transfer-encoding"];

/**
 * Headers that are removed. A response with an added policy is displayed, not followed, and Chromium would wait for the
 * address of an artificial redirect. A sandboxed page may not have an opener policy (HTML § 7.1.3); cookies are stored
 * already; prefetches bypass interception.
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
 * Returns the response headers of a document with a second content security policy (CSP 3 § 4.2: all policies apply).
 * WebSockets bypass request interception; `connect-src` restricts them to the host that the page itself was loaded
 * from. Frames and blob workers inherit the policy.
 */
export function guardDocument(headers: Headers, url: string): Protocol.Fetch.HeaderEntry[] {
  return withPolicy(headers, `sandbox ${SANDBOX}; ${connectionPolicy(url)}; ${NO_WEBRTC}`);
}

/** Returns the response headers of a worker script; workers have a separate policy. */
export function guardWorker(headers: Headers, url: string): Protocol.Fetch.HeaderEntry[] {
  return withPolicy(headers, `${connectionPolicy(url)}; ${NO_WEBRTC}`);
}

/**
 * Returns the response headers of pages in interactive sessions: as above without the directive for WebRTC, which
 * browsers that do not know it report in the page's console.
 */
export function guardSockets(headers: Headers, url: string): Protocol.Fetch.HeaderEntry[] {
  return withPolicy(headers, connectionPolicy(url));
}

/** Statuses whose `Location` Chromium follows; with any other status, or without the header, it displays the body. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Reports whether an intercepted response can become a document or a worker script. Decided by the request's type,
 * which interception receives, and never by the media type, which Chromium may guess or ignore.
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
