import { jsonSchema, tool, type ModelMessage as SdkMessage, type ToolSet } from "ai";
import { repairJson } from "../../core/schema/repair-json.ts";
import type { ModelMessage, ModelTool } from "../../ports/language-model.ts";

/** Converts a conversation to the AI SDK's messages. */
export function toSdkMessages(messages: readonly ModelMessage[]): SdkMessage[] {
  return messages.map((message): SdkMessage => {
    switch (message.role) {
      case "user":
        return { role: "user", content: toUserContent(message) };
      case "assistant":
        return {
          role: "assistant",
          content: [
            ...(message.text === "" ? [] : [{ type: "text" as const, text: message.text }]),
            ...message.toolCalls.map(({ id, toolName, input }) => ({
              type: "tool-call" as const,
              toolCallId: id,
              toolName,
              input,
            })),
          ],
        };
      case "tool": {
        const { callId, toolName, text } = message;
        const output = { type: "text" as const, value: text };
        return { role: "tool", content: [{ type: "tool-result", toolCallId: callId, toolName, output }] };
      }
    }
  });
}

function toUserContent({ text, pictures = [] }: Extract<ModelMessage, { role: "user" }>) {
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
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
}

/** Returns the input of a tool call as a value. Text is repaired and parsed as JSON; unparseable text becomes {}. */
export function readInput(input: unknown): unknown {
  if (typeof input !== "string") return input ?? {};
  return parsed(input) ?? parsed(repairJson(input)) ?? {};
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
