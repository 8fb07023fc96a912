import { jsonSchema, tool, type ModelMessage as SdkMessage, type ToolSet } from "ai";
import { repairAnswer } from "../../core/schema/repair-json.ts";
import type { ModelMessage, ModelTool } from "../../ports/language-model.ts";

/** Converts a conversation to the AI SDK's messages, without lone surrogates. */
export function toSdkMessages(messages: readonly ModelMessage[]): SdkMessage[] {
  return messages.map((message): SdkMessage => {
    switch (message.role) {
      case "user":
        return { role: "user", content: toUserContent(message) };
      case "assistant":
        return {
          role: "assistant",
          content: [
            ...(message.text === "" ? [] : [{ type: "text" as const, text: message.text.toWellFormed() }]),
            ...message.toolCalls.map(({ id, toolName, input }) => ({
              type: "tool-call" as const,
              toolCallId: id,
              toolName,
              input: wellFormed(input),
            })),
          ],
        };
      case "tool": {
        const { callId, toolName, text } = message;
        const output = { type: "text" as const, value: text.toWellFormed() };
        return { role: "tool", content: [{ type: "tool-result", toolCallId: callId, toolName, output }] };
      }
    }
  });
}

function toUserContent({ text: written, pictures = [] }: Extract<ModelMessage, { role: "user" }>) {
  const text = written.toWellFormed();
  if (pictures.length === 0) return text;
  const files = pictures.map(({ contentType, bytes }) => ({
    type: "file" as const,
    mediaType: contentType,
    data: bytes,
  }));
  return [{ type: "text" as const, text }, ...files];
}

/** Tools without a function: a call to one ends the step, and the caller runs it. */
export function toSdkTools(tools: readonly ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(wellFormedObject(inputSchema)) }),
    ]),
  );
}

/**
 * Replaces lone surrogates in a JSON value, which pages contain and cuts of texts leave: they have no form in UTF-8, and strict
 * servers refuse a request with an escaped one.
 */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  return typeof value === "object" && value !== null ? wellFormedObject({ ...value }) : value;
}

/** Does the same in an object, such as a JSON Schema. */
export function wellFormedObject(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name.toWellFormed(), wellFormed(own)]));
}

/** Returns the input of a tool call as a value. Text is repaired and parsed as JSON; unparseable text becomes {}. */
export function readInput(input: unknown): unknown {
  if (typeof input !== "string") return input ?? {};
  return parsed(input) ?? parsed(repairAnswer(input)) ?? {};
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
