/** How much of the block's text the head of the page repeats: description, structured data, title. */
import type { FeatureGroup } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";

const DESCRIPTIONS = new Set(["description", "og:description", "twitter:description"]);
const MAX_JSON_LD_LENGTH = 400_000;
/** String values long enough to be prose rather than names and addresses. */
const JSON_LD_STRING = /"((?:[^"\\]|\\.){24,})"/g;
const JSON_ESCAPE = /\\u([0-9a-fA-F]{4})|\\[nrt]|\\(.)/g;
const SEQUENCE_WORDS = 3;
const MAX_BLOCK_WORDS = 120;

export const headFeatures: FeatureGroup = {
  names: ["inDescription", "inStructuredData", "pageStructuredWords"],
  prepare({ outline, head }) {
    const description = sequencesOf(head.metas.filter(isDescription).map(({ content = "" }) => content));
    const structured = sequencesOf(structuredTexts(head.jsonLd));
    return (block, matrix, offset) => {
      const { text } = outline.blocks[block]!;
      const words = description.size + structured.size === 0 ? [] : wordsOf(text);
      matrix[offset] = share(words, description);
      matrix[offset + 1] = share(words, structured);
      matrix[offset + 2] = Math.log1p(structured.size);
    };
  },
};

function isDescription(meta: PageMeasures["head"]["metas"][number]): boolean {
  return DESCRIPTIONS.has((meta["name"] ?? meta["property"] ?? "").toLowerCase());
}

function structuredTexts(jsonLd: readonly string[]): string[] {
  return jsonLd.flatMap((json) => {
    const strings = json.slice(0, MAX_JSON_LD_LENGTH).matchAll(JSON_LD_STRING);
    return Array.from(strings, ([, value = ""]) => unescapeJson(value)).filter((value) => !value.startsWith("http"));
  });
}

function unescapeJson(value: string): string {
  return value.replace(JSON_ESCAPE, (_, code?: string, other?: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return other ?? " ";
  });
}

function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, 1200)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.slice(0, MAX_BLOCK_WORDS) ?? []
  );
}

/** Every three words in a row of each text. */
function sequencesOf(texts: string[]): Set<string> {
  const sequences = new Set<string>();
  for (const text of texts) {
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    for (let at = 0; at + SEQUENCE_WORDS <= words.length; at++)
      sequences.add(`${words[at]} ${words[at + 1]} ${words[at + 2]}`);
  }
  return sequences;
}

function share(words: readonly string[], sequences: ReadonlySet<string>): number {
  const most = words.length - SEQUENCE_WORDS + 1;
  if (sequences.size === 0 || most < 1) return 0;
  let found = 0;
  for (let at = 0; at < most; at++) if (sequences.has(`${words[at]} ${words[at + 1]} ${words[at + 2]}`)) found++;
  return found / most;
}
