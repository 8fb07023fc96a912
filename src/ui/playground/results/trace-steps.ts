import { toDuration, toWords } from "../../parts/format.ts";

/** One step of an agent or a research, as shown. */
export interface Step {
  name: string;
  subject: string;
  facts: string[];
  hasFailed: boolean;
}

/** The displayed fields of an event of an agent's trace. */
export interface TraceEvent {
  type: string;
  toolCallId?: string;
  toolName?: string;
  parameters?: Record<string, unknown>;
  result?: { outcome?: string; creditsUsed?: number; durationMs?: number; error?: { code?: string; message?: string } };
}

/** Returns the tool calls of a trace with their outcome, in order. */
export function stepsOf(events: readonly TraceEvent[]): Step[] {
  const ends = new Map(
    events.flatMap((event) => (event.result === undefined ? [] : [[event.toolCallId, event.result]])),
  );
  return events
    .filter(({ type }) => type === "tool_call.started")
    .map(({ toolCallId, toolName = "", parameters = {} }) => {
      const end = ends.get(toolCallId);
      const { url, query, prompt, question } = parameters;
      const credits = end?.creditsUsed ?? 0;
      return {
        name: toWords(toolName),
        subject: String(url ?? query ?? prompt ?? question ?? ""),
        facts: [
          ...(end === undefined ? ["running"] : []),
          ...(end?.durationMs === undefined ? [] : [toDuration(end.durationMs)]),
          ...(credits > 0 ? [`${credits} ${credits === 1 ? "credit" : "credits"}`] : []),
          ...(end?.error === undefined ? [] : [end.error.message ?? end.error.code ?? "failed"]),
        ],
        hasFailed: end?.error !== undefined,
      };
    });
}
