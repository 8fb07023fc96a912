import { jsonSchema, tool, type ModelMessage as SdkMessage, type ToolSet } from "ai";
import { jsonrepair } from "jsonrepair";
import type { ModelMessage, ModelTool } from "../../ports/language-model.ts";

/** The conversation in the words of the AI SDK. */
export function toSdkMessages(messages: readonly ModelMessage[]): SdkMessage[] {
  return messages.map((message): SdkMessage => {
    switch (message.role) {
      case "user":
        return { role: "user", content: message.text };
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

/** Tools without a function: a call to one ends the step, and whoever asked runs it. */
export function toSdkTools(tools: readonly ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
}

/** The input of a call as the model wrote it: a value, or a text that should have been one. */
export function readInput(input: unknown): unknown {
  if (typeof input !== "string") return input ?? {};
  try {
    return JSON.parse(jsonrepair(input));
  } catch {
    return {};
  }
}
