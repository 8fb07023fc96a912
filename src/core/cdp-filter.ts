/**
 * Commands that reach past the browser: to files of the machine that it runs on, or around the guard of its requests.
 * Whoever drives a session is refused them, on every way in.
 */
const REFUSED_METHODS: Record<string, string> = {
  "DOM.setFileInputFiles": "Files of the browser's machine cannot be read; hand in the content instead",
  "Network.loadNetworkResource": "Resources are loaded by pages only",
  "Browser.executeBrowserCommand": "The browser's own commands are not available",
  "Browser.crash": "The session is ended by deleting it",
  "Browser.crashGpuProcess": "The session is ended by deleting it",
  "Browser.getBrowserCommandLine": "The browser's machine is not shown",
  // Both carry commands inside of others, where nobody looks at them.
  "Target.sendMessageToTarget": "Attach with flatten: true",
  "Target.exposeDevToolsProtocol": "Pages cannot drive the browser",
  "Target.setRemoteLocations": "Other browsers are not reached from here",
  "Network.setRequestInterception": "Use Fetch.enable",
};
/** Domains that are about the browser's machine and what is near it. */
const REFUSED_DOMAINS = new Set(["Cast", "Extensions", "PWA", "SystemInfo", "Tethering"]);
/** Content Security Policy 3 § 6.1.2: what no source of the list matches is refused. */
const NO_SOCKETS = { name: "Content-Security-Policy", value: "connect-src http: https: data: blob:" };
const DOWNLOAD_METHODS = new Set(["Browser.setDownloadBehavior", "Page.setDownloadBehavior"]);

interface Command {
  id: number;
  method: string;
  params: Record<string, unknown>;
  sessionId?: string;
}

/** What becomes of a client's message: it goes on, perhaps changed, it is answered right away, or it opens a tab. */
export type FilteredCommand =
  | { kind: "pass"; text: string }
  | { kind: "answer"; text: string }
  /** A request is to go to another address than it was looked at for; what blocks it when that is not allowed. */
  | { kind: "sent_elsewhere"; text: string; url: string; blocking: string }
  /** The tab opens blank, and is to be sent to its address later. */
  | { kind: "tab"; text: string; id: number; url: string };

/** Looks at one message of a client of the Chrome DevTools Protocol (JSON-RPC, one command a message). */
export function filterCommand(text: string): FilteredCommand {
  const command = parseCommand(text);
  if (command === undefined) {
    return { kind: "answer", text: JSON.stringify({ error: { code: -32700, message: "Not a command" } }) };
  }
  const { id, method, params, sessionId } = command;
  // Drivers end by closing the browser that they are connected to; here they only leave.
  if (method === "Browser.close") return { kind: "answer", text: JSON.stringify({ id, result: {}, sessionId }) };
  // Nothing is written to the browser's machine. Of a download its client still hears, with its address and name.
  if (DOWNLOAD_METHODS.has(method) && params["behavior"] !== "default") {
    const { downloadPath: _nowhere, ...rest } = params;
    return { kind: "pass", text: JSON.stringify({ ...command, params: { ...rest, behavior: "deny" } }) };
  }
  const message = refusalOf(command);
  if (message === undefined && method === "Target.createTarget") {
    const blank = { ...command, params: { ...params, url: "about:blank" } };
    return { kind: "tab", text: JSON.stringify(blank), id, url: String(params["url"] ?? "") };
  }
  if (message === undefined && method === "Fetch.continueRequest" && typeof params["url"] === "string") {
    const failed = { requestId: params["requestId"], errorReason: "BlockedByClient" };
    const blocking = JSON.stringify({ ...command, method: "Fetch.failRequest", params: failed });
    return { kind: "sent_elsewhere", text: JSON.stringify(command), url: params["url"], blocking };
  }
  if (message === undefined && isOwnResponse(method, params)) {
    const headers: unknown[] = Array.isArray(params["responseHeaders"]) ? params["responseHeaders"] : [];
    return {
      kind: "pass",
      text: JSON.stringify({ ...command, params: { ...params, responseHeaders: [...headers, NO_SOCKETS] } }),
    };
  }
  // Written anew: of a key that stands there twice, the browser might read the other one.
  if (message === undefined) return { kind: "pass", text: JSON.stringify(JSON.parse(text)) };
  return { kind: "answer", text: JSON.stringify({ id, error: { code: -32000, message }, sessionId }) };
}

/**
 * A response that its client makes up or changes. The guard gives documents a policy that keeps their sockets to the
 * host that they came from; these have come from nowhere.
 */
function isOwnResponse(method: string, params: Command["params"]): boolean {
  return (
    method === "Fetch.fulfillRequest" ||
    (method === "Fetch.continueResponse" && params["responseHeaders"] !== undefined)
  );
}

function refusalOf({ method, params }: Command): string | undefined {
  const { url } = params;
  if ((method === "Page.navigate" || method === "Target.createTarget") && typeof url === "string" && !isWebUrl(url)) {
    return "Only web addresses can be opened";
  }
  if (method === "Target.createBrowserContext" && Boolean(params["proxyServer"])) {
    return "Requests cannot be sent through a proxy";
  }
  if (method === "Page.setBypassCSP" && params["enabled"] === true) {
    return "Content security policies keep sockets from private hosts, and stay";
  }
  if (params["binaryResponseHeaders"] !== undefined) return "Use responseHeaders";
  if (method === "Input.dispatchDragEvent" && hasFiles(params["data"])) {
    return REFUSED_METHODS["DOM.setFileInputFiles"];
  }
  if (REFUSED_DOMAINS.has(method.split(".")[0] ?? "")) return "The browser's machine is not reached from here";
  return Object.hasOwn(REFUSED_METHODS, method) ? REFUSED_METHODS[method] : undefined;
}

/** Names of files on the browser's machine, which a page would be given as if they were dropped on it. */
function hasFiles(data: unknown): boolean {
  const { files } = Object(data) as { files?: unknown };
  return Array.isArray(files) ? files.length > 0 : files !== undefined;
}

/** What a tab may be sent to; where a web address leads is the guard's to say. Chromium completes addresses without a scheme. */
function isWebUrl(url: string): boolean {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  return scheme === undefined || ["http", "https", "about", "data", "blob", "javascript"].includes(scheme);
}

function parseCommand(text: string): Command | undefined {
  try {
    const { id, method, params, sessionId } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (typeof id !== "number" || typeof method !== "string") return undefined;
    const named = typeof sessionId === "string" ? { sessionId } : {};
    return { id, method, params: Object(params ?? {}) as Record<string, unknown>, ...named };
  } catch {
    return undefined;
  }
}
