const KEY = /\bfc-[0-9a-f]{32}\b/g;
const SHORTEST_LINE = 40;

/**
 * An answer without what it must never hold: keys of this service, and lines of the rules that the model was given. The
 * model has no keys; a page may have planted one.
 */
export function withoutSecrets(text: string, system: string): string {
  const rules = system
    .split(/(?<=[.:])\s+|\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE);
  const plain = rules.reduce((rest, rule) => rest.replaceAll(rule, "[removed]"), text);
  return plain.replaceAll(KEY, "[removed]");
}
