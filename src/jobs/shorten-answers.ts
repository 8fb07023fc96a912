import type { ModelMessage } from "../ports/language-model.ts";

/**
 * A talk with a model in which answers of tools older than the newest few are cut: what mattered in them has been said
 * since, and a model reads the whole talk anew for each step.
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
