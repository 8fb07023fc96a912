/**
 * Commands that reach past the browser: to files of the machine that it runs on, or around the guard. Whoever drives a
 * session over a gate is refused them.
 */
const REFUSED_METHODS: Record<string, string> = {
  "DOM.setFileInputFiles": "Files of the browser's machine cannot be read; hand in the content instead",
  "Page.setDownloadBehavior": "Downloads cannot be written to the browser's machine",
  "Network.loadNetworkResource": "Resources are loaded by pages only",
  "Browser.executeBrowserCommand": "The browser's own commands are not available",
  "Browser.crash": "The session is ended by deleting it",
  "Browser.close": "The session is ended by deleting it",
  "SystemInfo.getProcessInfo": "The browser's machine is not shown",
  "Tracing.start": "Traces of the whole browser are not available",
};

interface Command {
  id: number;
  method: string;
  params: Record<string, unknown>;
  sessionId: string | undefined;
}

/** The answer to a command that is not passed on; undefined for one that is. */
export function refuseCommand(text: string): string | undefined {
  const command = parseCommand(text);
  if (command === undefined) return JSON.stringify({ error: { code: -32700, message: "Not a command" } });
  const why = refusalOf(command);
  if (why === undefined) return undefined;
  const { id, sessionId } = command;
  if (why === "silently") return JSON.stringify({ id, result: {}, sessionId });
  return JSON.stringify({ id, error: { code: -32000, message: why }, sessionId });
}

function refusalOf({ method, params }: Command): string | undefined {
  // Drivers end by closing the browser that they are connected to; here they only leave.
  if (method === "Browser.close") return "silently";
  if (method === "Browser.setDownloadBehavior") {
    return params["behavior"] === "deny" || params["behavior"] === "default" ? undefined : "silently";
  }
  const url = params["url"];
  if ((method === "Page.navigate" || method === "Target.createTarget") && typeof url === "string" && !isWebUrl(url)) {
    return "Only web addresses can be opened";
  }
  return REFUSED_METHODS[method];
}

/** What a tab may be sent to; where a web address leads is the guard's to say. */
function isWebUrl(url: string): boolean {
  return url === "" || /^\s*(https?|about|data|blob|javascript):/i.test(url);
}

function parseCommand(text: string): Command | undefined {
  try {
    const { id, method, params, sessionId } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (typeof id !== "number" || typeof method !== "string") return undefined;
    return {
      id,
      method,
      params: Object(params) as Record<string, unknown>,
      sessionId: typeof sessionId === "string" ? sessionId : undefined,
    };
  } catch {
    return undefined;
  }
}
