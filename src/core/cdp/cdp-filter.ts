/**
 * The CDP policy: the commands of the Chrome DevTools Protocol that a driver may send, and the events that it receives.
 * To read it in order:
 * 1. `filterCommand`, here: checks one message of a driver.
 * 2. `restricted-methods.ts`: the methods that need a rule, with the rules.
 * 3. `allowed-methods.ts`: all other methods, from tables of names and types as the protocol defines them. A test
 *    compares the tables with the protocol; what needs review is which methods they name.
 * 4. `shown-target.ts`, `target-events.ts`: the targets that a driver sees, and messages of the browser.
 * 5. `cdp-relay.ts`: connects both directions to the sockets.
 * `src/docs/operation/browser-policy.md` describes the policy and the protections beside it.
 */

import type { z } from "zod";
import { schemaOf } from "./allowed-methods.ts";
import { commandKey, excessOf, parseCommand, type Command } from "./command.ts";
import { refusalReason } from "./refusal-reasons.ts";

/** Verdict on a driver's message; a forwarded message is serialized again from its parsed form. */
export type FilteredCommand =
  | { kind: "pass"; text: string }
  | { kind: "reply"; text: string }
  /** Changes the URL of an intercepted request; `blocking` fails the request when the URL is not allowed. */
  | { kind: "redirected_request"; text: string; url: string; blocking: string }
  /** Attaches to a target; `refusal` is the response when the driver may not see it, `tooMany` that beyond the limit. */
  | { kind: "attach"; text: string; targetId: string; refusal: string; tooMany: string }
  /** Opens a blank tab that navigates to its URL later; `refusal` is the response if the guard cannot intercept it. */
  | { kind: "open_tab"; text: string; key: string; url: string; refusal: string };

/** Checks one message of a driver (JSON-RPC, one command per message). */
export function filterCommand(text: string): FilteredCommand {
  const command = parseCommand(text);
  if (typeof command === "string") {
    return { kind: "reply", text: JSON.stringify({ error: { code: -32700, message: command } }) };
  }
  // Drivers close the browser when they finish; here they only disconnect.
  if (command.method === "Browser.close") return { kind: "reply", text: write(command, { result: {} }) };
  const schema = schemaOf(command.method);
  if (schema === undefined) return refuse(command, refusalReason(command.method));
  const excess = excessOf(command);
  if (excess !== undefined) return refuse(command, `${command.method}: ${excess}`);
  const parsed = schema.safeParse(command.params ?? {});
  if (!parsed.success) return refuse(command, `${command.method}: ${describe(parsed.error)}`);
  return dispatch(command, parsed.data);
}

function dispatch(command: Command, params: Record<string, unknown>): FilteredCommand {
  const { method } = command;
  const text = write(command, { method, params });
  if (method === "Target.createTarget") {
    const blank = write(command, { method, params: { ...params, url: "about:blank" } });
    const refusal = refusalText(command, "The page could not be opened");
    return { kind: "open_tab", text: blank, key: commandKey(command), url: String(params["url"]), refusal };
  }
  if (method === "Target.attachToTarget") {
    const refusal = refusalText(command, "No target with given id found");
    const tooMany = refusalText(command, "Too many attached targets: detach from some of them");
    return { kind: "attach", text, targetId: String(params["targetId"]), refusal, tooMany };
  }
  if (method === "Fetch.continueRequest" && typeof params["url"] === "string") {
    const failed = { requestId: params["requestId"], errorReason: "BlockedByClient" };
    const blocking = write(command, { method: "Fetch.failRequest", params: failed });
    return { kind: "redirected_request", text, url: params["url"], blocking };
  }
  return { kind: "pass", text };
}

function refuse(command: Command, message: string): FilteredCommand {
  return { kind: "reply", text: refusalText(command, message) };
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
