const KEY = /\bfc-[0-9a-f]{32}\b/g;
const SHORTEST_LINE = 40;

/**
 * Removes from an answer what it must never contain: API keys of this service, and lines of the system prompt. The
 * model has no keys, but a page may contain one.
 */
export function withoutSecrets(text: string, system: string): string {
  const rules = system
    .split(/(?<=[.:])\s+|\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE);
  const plain = rules.reduce((rest, rule) => rest.replaceAll(rule, "[removed]"), text);
  return plain.replaceAll(KEY, "[removed]");
}
