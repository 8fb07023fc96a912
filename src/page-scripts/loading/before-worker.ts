/** Interfaces of workers that open connections which request interception does not see. */
const DIRECT_CONNECTIONS = ["WebTransport", "WebSocketStream"];

/**
 * Runs in a worker before its script: a policy of documents cannot tell WebTransport from an ordinary request. Chromium
 * adds these interfaces to the worker after this has run; a property that cannot be changed stays.
 */
export function beforeWorker(): void {
  for (const name of DIRECT_CONNECTIONS) Object.defineProperty(globalThis, name, { value: undefined });
}
