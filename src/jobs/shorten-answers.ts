import type { ModelMessage } from "../ports/language-model.ts";

/**
 * Shortens all but the newest tool results of a conversation: the model has already used the older ones, and reads the
 * whole conversation again for each step.
 */
export function shortenAnswers(
  messages: readonly ModelMessage[],
  { whole, maxChars }: { whole: number; maxChars: number },
): ModelMessage[] {
  const answers = messages.filter(({ role }) => role === "tool");
  const old = new Set(answers.slice(0, Math.max(0, answers.length - whole)));
  return messages.map((message) =>
    message.role === "tool" && old.has(message) && message.text.length > maxChars
      ? { ...message, text: `${message.text.slice(0, maxChars)}\n[shortened]` }
      : message,
  );
}
