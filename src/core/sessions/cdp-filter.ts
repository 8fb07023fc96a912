import { z } from "zod";
import { DOCUMENT_METHODS } from "../cdp/document-methods.ts";
import { NETWORK_METHODS } from "../cdp/network-methods.ts";
import { PAGE_METHODS } from "../cdp/page-methods.ts";
import type { MethodTable } from "../cdp/parameters.ts";
import { refusalReason } from "../cdp/refusal-reasons.ts";
import { SCRIPT_METHODS } from "../cdp/script-methods.ts";
import { TARGET_METHODS } from "../cdp/target-methods.ts";

/**
 * The CDP policy: every method of the Chrome DevTools Protocol that a driver may use, with its parameter schema.
 * All other methods are refused on every connection; see `src/docs/operation/browser-policy.md`.
 */
export const ALLOWED_METHODS: MethodTable = {
  ...DOCUMENT_METHODS,
  ...NETWORK_METHODS,
  ...PAGE_METHODS,
  ...SCRIPT_METHODS,
  ...TARGET_METHODS,
};

/** A command. The protocol's ids are 32-bit integers; negative ids are reserved for the relay. */
const Command = z.object({
  id: z.int().min(0).max(0x7fffffff),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  sessionId: z.string().optional(),
});
type Command = z.infer<typeof Command>;

/** Verdict on a driver's message; a forwarded message is serialized again from its parsed form. */
export type FilteredCommand =
  | { kind: "pass"; text: string }
  | { kind: "answer"; text: string }
  /** Changes the URL of an intercepted request; `blocking` fails the request when the URL is not allowed. */
  | { kind: "sent_elsewhere"; text: string; url: string; blocking: string }
  /** Attaches to a target; `refusal` is the response when the driver may not see it. */
  | { kind: "attach"; text: string; targetId: string; refusal: string }
  /** Opens a blank tab that navigates to its URL later; `refusal` is the response if the guard cannot intercept it. */
  | { kind: "tab"; text: string; key: string; url: string; refusal: string };

/** Checks one message of a driver (JSON-RPC, one command per message). */
export function filterCommand(text: string): FilteredCommand {
  const command = parseCommand(text);
  if (command === undefined) {
    return { kind: "answer", text: JSON.stringify({ error: { code: -32700, message: "Not a command" } }) };
  }
  // Drivers close the browser when they finish; here they only disconnect.
  if (command.method === "Browser.close") return { kind: "answer", text: write(command, { result: {} }) };
  const schema = Object.hasOwn(ALLOWED_METHODS, command.method) ? ALLOWED_METHODS[command.method] : undefined;
  if (schema === undefined) return refuse(command, refusalReason(command.method));
  const parsed = schema.safeParse(command.params ?? {});
  if (!parsed.success) return refuse(command, `${command.method}: ${describe(parsed.error)}`);
  return dispatch(command, parsed.data);
}

/** Returns the key of a pending command: ids are unique per session. */
export function commandKey({ id, sessionId = "" }: { id: number; sessionId?: string | undefined }): string {
  return `${id} ${sessionId}`;
}

function dispatch(command: Command, params: Record<string, unknown>): FilteredCommand {
  const { method } = command;
  const text = write(command, { method, params });
  if (method === "Target.createTarget") {
    const blank = write(command, { method, params: { ...params, url: "about:blank" } });
    const refusal = refusalText(command, "The page could not be opened");
    return { kind: "tab", text: blank, key: commandKey(command), url: String(params["url"]), refusal };
  }
  if (method === "Target.attachToTarget") {
    const refusal = refusalText(command, "No target with given id found");
    return { kind: "attach", text, targetId: String(params["targetId"]), refusal };
  }
  if (method === "Fetch.continueRequest" && typeof params["url"] === "string") {
    const failed = { requestId: params["requestId"], errorReason: "BlockedByClient" };
    const blocking = write(command, { method: "Fetch.failRequest", params: failed });
    return { kind: "sent_elsewhere", text, url: params["url"], blocking };
  }
  return { kind: "pass", text };
}

function refuse(command: Command, message: string): FilteredCommand {
  return { kind: "answer", text: refusalText(command, message) };
}

function refusalText(command: Command, message: string): string {
  return write(command, { error: { code: -32000, message } });
}

function write({ id, sessionId }: Command, content: object): string {
  return JSON.stringify({ id, ...content, sessionId });
}

/** Describes the first error, with the parameter's name. */
function describe({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return "Invalid parameters";
  // Of several forms of a command, the one that matched furthest gives the error.
  const inner =
    issue.code === "invalid_union" ? issue.errors.flat().find(({ path }) => path[0] === "flatten") : undefined;
  const { path, message } = inner ?? issue;
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

function parseCommand(text: string): Command | undefined {
  try {
    return Command.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
