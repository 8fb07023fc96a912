import { sha256Hex } from "../../core/text/hash.ts";

/**
 * Returns the content fingerprint of a text. Two texts have the same one if their characters without white space,
 * sorted, are equal.
 */
export async function contentFingerprint(text: string): Promise<string> {
  return await sha256Hex([...text.replace(/\s+/g, "")].toSorted().join(""));
}
