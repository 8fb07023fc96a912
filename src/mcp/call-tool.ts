import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { toSegment, type ApiResponse, type Caller } from "./api.ts";
import type { CallContext } from "./call-context.ts";
import { presentDocument, presentFailure, presentJob, presentPlain, withStructure, type Window } from "./present.ts";
import { DEFAULT_CHARACTERS, hasRouteOffset, MAX_CHARACTERS, MAX_WAIT_SECONDS, type Tool } from "./tools.ts";
import { waitForJob } from "./wait-for-job.ts";

/** Arguments of tools besides the fields of their route. */
const OwnArguments = z.looseObject({
  waitSeconds: z.number().min(0).max(MAX_WAIT_SECONDS).default(0),
  maxCharacters: z.int().min(1000).max(MAX_CHARACTERS).default(DEFAULT_CHARACTERS),
  offset: z.int().min(0).optional(),
});

/** Calls the route behind a tool, waits for its job where that was asked for, and shows the answer. */
export async function callTool(
  context: CallContext,
  tool: Tool,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const own = OwnArguments.safeParse(hasRouteOffset(tool) ? { ...input, offset: undefined } : input);
  if (!own.success) return presentFailure({ isSuccess: false, body: { error: z.prettifyError(own.error) } });
  const { waitSeconds, maxCharacters, offset, ...others } = own.data;
  const fields =
    hasRouteOffset(tool) && input["offset"] !== undefined ? { ...others, offset: input["offset"] } : others;
  const unplaced = namesInPath(tool).find((name) => !canBePlaced(fields[name]));
  if (unplaced !== undefined) {
    const error = `Bad Request: ${unplaced}: is required (a string)`;
    return presentFailure({ isSuccess: false, body: { error, code: "BAD_REQUEST" } });
  }
  const started = await callRoute(context.caller, tool, fields);
  const answer =
    tool.statusPath === undefined || waitSeconds === 0
      ? started
      : await waitForJob(context, { started, statusPath: tool.statusPath, waitMs: waitSeconds * 1000 });
  if (!answer.isSuccess) return presentFailure(answer);
  return present(tool, answer.body, { offset: hasRouteOffset(tool) ? undefined : (offset ?? 0), maxCharacters });
}

function present(tool: Tool, body: Record<string, unknown>, window: Window): CallToolResult {
  const shown =
    tool.shape === "document"
      ? presentDocument(body, window)
      : tool.shape === "job"
        ? presentJob(body, window)
        : presentPlain(body, window);
  return withStructure(shown, body, window);
}

/** Names of the arguments that a tool's path contains. */
function namesInPath({ path }: Tool): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Reports whether an argument is one segment of a path: an empty one, `.` and `..` would lead to another route. */
function canBePlaced(value: unknown): boolean {
  return typeof value === "string" && !["", ".", ".."].includes(value);
}

/** Fields that the path names go there; the rest is the body, or the query of a GET. */
async function callRoute(caller: Caller, tool: Tool, fields: Record<string, unknown>): Promise<ApiResponse> {
  const rest = { ...fields };
  const path = tool.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = rest[name];
    delete rest[name];
    return toSegment(value);
  });
  if (tool.method === "POST") return await caller.call("POST", path, { ...rest, ...tool.fixed });
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  return await caller.call(tool.method, query.size === 0 ? path : `${path}?${query}`);
}
