/** Returns a copy of a text: a part of a longer one keeps all of it in memory. */
export function copyText(text: string): string {
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(new TextEncoder().encode(text));
}
