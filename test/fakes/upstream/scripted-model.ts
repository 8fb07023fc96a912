import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server is to answer; a text is an ordinary answer. */
export type ScriptedReply =
  | string
  | {
      text?: string;
      /** A text as `input` goes over the wire as it stands, so that it may be broken JSON. */
      toolCalls?: { name: string; input: unknown }[];
      refusal?: string;
      /** Before the first byte. */
      delayMs?: number;
      usage?: { prompt_tokens: number; completion_tokens: number };
    }
  | { json: unknown; delayMs?: number }
  | { status: number; retryAfterSeconds?: number; message?: string }
  /** The connection is cut without an answer. */
  | { hangUp: true };

/** A request as the server got it. */
export interface SeenRequest {
  path: string;
  authorization: string | undefined;
  model: string;
  stream: boolean;
  messages: { role: string; content: unknown; tool_calls?: unknown }[];
  tools: { function: { name: string } }[];
  responseFormat: "json_schema" | "json_object" | "text";
  maxTokens: number | undefined;
  /** Everything that was said so far, as one text. */
  said: string;
}

export interface ScriptedModel {
  /** For LLM_BASE_URL. */
  url: string;
  requests: SeenRequest[];
  /** Answers from here on. */
  script(next: Script): void;
  close(): Promise<void>;
}

/** One reply after the other, the last one again and again; or what a function makes of the request. */
export type Script = readonly ScriptedReply[] | ((request: SeenRequest, number: number) => ScriptedReply);

const USAGE = { prompt_tokens: 100, completion_tokens: 20 };

/** A server that speaks OpenAI's chat completions over real HTTP, streaming or not, and says what a test tells it to. */
export async function startScriptedModel(first: Script): Promise<ScriptedModel> {
  let script = first;
  let number = 0;
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await readRequest(request);
    requests.push(seen);
    const reply = typeof script === "function" ? script(seen, number) : script[Math.min(number, script.length - 1)];
    number++;
    await send(response, reply ?? { status: 500 }, seen);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script(next) {
      script = next;
      number = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  return {
    path: request.url ?? "",
    authorization: request.headers.authorization,
    model: body.model,
    stream: body.stream === true,
    messages: body.messages,
    tools: body.tools ?? [],
    responseFormat: body.response_format?.type ?? "text",
    maxTokens: body.max_tokens,
    said: body.messages.map(({ content }: { content: unknown }) => textOf(content)).join("\n\n"),
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : "";
}

async function send(response: ServerResponse, reply: ScriptedReply, { model, stream }: SeenRequest): Promise<void> {
  if (typeof reply === "object" && "hangUp" in reply) return void response.destroy();
  if (typeof reply === "object" && "status" in reply) {
    const { status, retryAfterSeconds, message = `scripted ${status}` } = reply;
    response.writeHead(status, {
      "content-type": "application/json",
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    });
    return void response.end(JSON.stringify({ error: { message, type: "scripted" } }));
  }
  const said =
    typeof reply === "string"
      ? { text: reply }
      : "json" in reply
        ? { ...reply, text: JSON.stringify(reply.json) }
        : reply;
  if (said.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, said.delayMs));
  const whole = toCompletion(said);
  if (stream) return sendStream(response, whole, model);
  response.writeHead(200, { "content-type": "application/json" });
  const choice = { index: 0, message: { role: "assistant", ...whole.message }, finish_reason: whole.finish };
  response.end(
    JSON.stringify({
      id: "scripted",
      object: "chat.completion",
      created: 0,
      model,
      choices: [choice],
      usage: whole.usage,
    }),
  );
}

interface Completion {
  message: { content: string | null; refusal?: string; tool_calls?: unknown[] };
  finish: string;
  usage: typeof USAGE;
}

function toCompletion(
  reply: Exclude<ScriptedReply, string | { status: number } | { hangUp: true } | { json: unknown }>,
): Completion {
  const { text, toolCalls = [], refusal, usage = USAGE } = reply;
  const calls = toolCalls.map(({ name, input }, index) => ({
    index,
    id: `call_${index}_${name}`,
    type: "function",
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
  }));
  return {
    message: {
      content: text ?? null,
      ...(refusal === undefined ? {} : { refusal }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    finish: calls.length > 0 ? "tool_calls" : refusal === undefined ? "stop" : "content_filter",
    usage,
  };
}

/** Server-sent events, the text in pieces of a few characters. */
function sendStream(response: ServerResponse, { message, finish, usage }: Completion, model: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (fields: object): void => {
    response.write(
      `data: ${JSON.stringify({ id: "scripted", object: "chat.completion.chunk", created: 0, model, ...fields })}\n\n`,
    );
  };
  const delta = (part: object): void => event({ choices: [{ index: 0, delta: part, finish_reason: null }] });
  delta({ role: "assistant" });
  for (const piece of message.content?.match(/[\s\S]{1,7}/g) ?? []) delta({ content: piece });
  if (message.tool_calls !== undefined) delta({ tool_calls: message.tool_calls });
  event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  event({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}
