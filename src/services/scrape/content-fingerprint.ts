import { sha256Hex } from "../../core/text/hash.ts";

/** Two texts have the same mark if their characters without white space, sorted, are equal. */
export async function contentFingerprint(text: string): Promise<string> {
  return await sha256Hex([...text.replace(/\s+/g, "")].toSorted().join(""));
}
