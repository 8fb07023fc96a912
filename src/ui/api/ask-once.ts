import { ask } from "./client.ts";

const answers = new Map<string, Promise<unknown>>();

/**
 * Reads a path once, for as long as the tab is open. A failed read is repeated on the next call.
 * @throws ApiError
 */
export function askOnce<Body>(path: string): Promise<Body> {
  const known = answers.get(path);
  if (known !== undefined) return known as Promise<Body>;
  const answer = ask<Body>(path);
  answers.set(path, answer);
  answer.catch(() => answers.delete(path));
  return answer;
}
