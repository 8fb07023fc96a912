import { createTwoFilesPatch, structuredPatch } from "diff";
import { sha256Hex } from "../core/hash.ts";

/** Diffs of very different pages take long and say nothing. */
const MAX_EDITS = 4_000;

/** Two texts have the same mark if their characters without white space, sorted, are equal (contract § 6.8). */
export async function textMark(text: string): Promise<string> {
  return await sha256Hex([...text.replace(/\s+/g, "")].toSorted().join(""));
}

/** A unified diff, and the same as files, chunks and changes. */
export function diffTexts(before: string, after: string): { text: string; json: { files: unknown[] } } {
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const text = createTwoFilesPatch("previous", "current", before, after, "", "", options);
  const patch = structuredPatch("previous", "current", before, after, "", "", options);
  if (text === undefined || patch === undefined) return { text: "", json: { files: [] } };
  const chunks = patch.hunks.map(({ lines, ...hunk }) => ({
    ...hunk,
    content: `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    changes: lines.map((content) => ({ type: KINDS[content[0] ?? " "] ?? "normal", content })),
  }));
  return { text, json: { files: [{ from: "previous", to: "current", chunks }] } };
}

const KINDS: Record<string, string> = { "+": "add", "-": "del", " ": "normal" };
