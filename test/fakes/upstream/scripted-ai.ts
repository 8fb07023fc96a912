/** What the binding is to answer: an object as models of Workers AI give it, an error, or nothing ever. */
export type ScriptedResponse = object | Error | "hangs";

export interface SeenRun {
  model: string;
  inputs: {
    messages: { role: string; content: unknown; tool_calls?: unknown }[];
    tools?: { function: { name: string } }[];
    response_format?: { type: string; json_schema?: unknown };
    stream?: boolean;
    max_tokens?: number;
    temperature?: number;
  };
}

/** The runtime's error of the `AI` binding, whose message is the code and a description. */
export function aiError(code: number, description: string): Error {
  return Object.assign(new Error(`${code}: ${description}`), { name: "InferenceUpstreamError" });
}

/** The `AI` binding, which says one thing after the other, the last one again and again. */
export function scriptedAi(script: readonly ScriptedResponse[]): { ai: Ai; seen: SeenRun[] } {
  const seen: SeenRun[] = [];
  const run = async (model: string, inputs: SeenRun["inputs"]): Promise<unknown> => {
    const answer = script[Math.min(seen.length, script.length - 1)];
    seen.push({ model, inputs });
    if (answer === "hangs") return await new Promise(() => undefined);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  // Providers of models call nothing but `run`.
  return { ai: { run } as unknown as Ai, seen };
}

/** Server-sent events as the binding streams them. */
export function sse(events: readonly (object | "[DONE]")[]): ReadableStream<Uint8Array> {
  const lines = events.map((event) => `data: ${event === "[DONE]" ? event : JSON.stringify(event)}\n\n`);
  return new Response(lines.join("")).body ?? new ReadableStream();
}
