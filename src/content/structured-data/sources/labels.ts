import { foldText } from "../../../core/search/words.ts";
import { copyText } from "../../../core/text/copy-text.ts";
import { CONCEPTS } from "../schema/concepts.ts";

/** A name of a property or a label on a page, analysed for comparison. */
export interface Label {
  /** Folded words with single spaces. */
  phrase: string;
  words: readonly string[];
  /** Concepts of the whole phrase. */
  concepts: readonly string[];
  /** The words without spaces, in the singular, and as the concepts that they mean alone: names are compared often. */
  joined: string;
  singulars: readonly string[];
  canonicals: readonly string[];
  /** Set for a name that ends with `to`, as that of the upper end of a range does. The word counts for nothing else. */
  isUpperEnd: boolean;
}

/** Words without a meaning for the comparison. */
const SMALL = new Set("the a an of de la le les des du der die das el los il lo del della di is are in on at for to our your this und et y e do da and or per incl inkl approx ca our us".split(" ")); // prettier-ignore
/** A difference in one of these is a difference of meaning. */
const MODIFIERS = new Set("old was original previous regular list rrp uvp related similar shipping delivery min max total sub birth death end start first last net gross previous next parent child per unit deposit legal short alternative alternate other secondary return average minimum maximum lowest highest deadline prep cook modified updated".split(" ")); // prettier-ignore
const UPPER_END = new Set(["to", "bis", "until"]);
const EQUAL = 1;
const SAME_WORDS = 0.96;
const SAME_CONCEPT = 0.9;
const CONTAINED = 0.6;
const CONTAINED_GAIN = 0.28;

const cache = new Map<string, Label>();
const MAX_CACHED = 5_000;
/** The rest of a longer name carries no information. */
const MAX_NAME = 300;
const MAX_WORDS = 16;

export function labelOf(name: string): Label {
  const part = name.slice(0, MAX_NAME);
  const known = cache.get(part);
  if (known !== undefined) return known;
  // A slice of a page would retain all of the page for as long as the label is in the cache.
  const text = copyText(part);
  const all = wordsOfName(text);
  const telling = all.filter((word) => !SMALL.has(word));
  const words = (telling.length > 0 ? telling : all).slice(0, MAX_WORDS);
  const phrase = words.join(" ");
  const label = {
    phrase,
    words,
    concepts: conceptsOf(phrase, all.join(" ")),
    joined: words.join(""),
    singulars: words.map(singular),
    canonicals: words.map(canonical),
    isUpperEnd: all.length > 1 && UPPER_END.has(all.at(-1) ?? ""),
  };
  if (cache.size > MAX_CACHED) cache.clear();
  cache.set(text, label);
  return label;
}

/** Reports whether a name asks for the largest number of several. */
export function wantsMost({ words, isUpperEnd }: Label): boolean {
  return isUpperEnd || words.some((word) => word.startsWith("max") || word === "highest" || word === "high");
}

/** Returns the words of `camelCase`, `snake_case`, `kebab-case` and plain names, without units in brackets. */
function wordsOfName(text: string): string[] {
  const spaced = text
    .replace(/\([^)]*\)|\[[^\]]*\]/g, " ")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return foldText(spaced).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Units at the end of a name describe the notation of a value, not its meaning. */
const UNITS =
  /(?: (?:minutes?|mins?|hours?|seconds?|secs?|kg|g|grams?|km2?|cm|mm|m2?|sqm|sqft|litres?|liters?|ml|eur|euros?|usd|dollars?|gbp|percent|pct))+$/;

function conceptsOf(...phrases: string[]): string[] {
  const found = phrases.flatMap((phrase) => {
    const bare = phrase.replace(UNITS, "");
    const forms = [phrase, singular(phrase), bare, singular(bare)];
    const known = forms.find((form) => CONCEPTS.has(form));
    return known === undefined ? (JOINED.get(phrase.replaceAll(" ", "")) ?? []) : (CONCEPTS.get(known) ?? []);
  });
  return [...new Set(found)];
}

/** The same without spaces: labels such as `USt-ID` are split in odd places. */
const JOINED = new Map([...CONCEPTS].map(([phrase, concepts]) => [phrase.replaceAll(" ", ""), concepts]));

export function singular(word: string): string {
  if (word.length < 4 || word.endsWith("ss")) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ches|shes|xes|sses)$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

const canonicalWords = new Map<string, string>();

/** Returns the concept that a word means alone, or the word. */
function canonical(word: string): string {
  // Alone it names the author; in `sold by` and `browse by category` it does not.
  if (word === "by") return word;
  const known = canonicalWords.get(word);
  if (known !== undefined) return known;
  const concept = CONCEPTS.get(word)?.[0] ?? CONCEPTS.get(singular(word))?.[0] ?? singular(word);
  if (canonicalWords.size > MAX_CACHED) canonicalWords.clear();
  canonicalWords.set(word, concept);
  return concept;
}

/**
 * Returns how certainly a label means a property: 1 for the same name, 0 for nothing in common. Equal names rank above
 * equal words, those above equal concepts, and those above names of which one holds the other.
 */
export function likeness(wanted: Label, label: Label): number {
  if (wanted.phrase === "" || label.phrase === "") return 0;
  if (wanted.phrase === label.phrase) return EQUAL;
  if (wanted.joined === label.joined || sameSet(wanted.singulars, label.singulars)) return SAME_WORDS;
  if (wanted.concepts.some((concept) => label.concepts.includes(concept))) return SAME_CONCEPT;
  if (sameSet(wanted.canonicals, label.canonicals)) return SAME_CONCEPT - 0.02;
  return contained(wanted, label);
}

function contained(wanted: Label, label: Label): number {
  const isWithin = holds(label, wanted);
  const isAround = holds(wanted, label);
  if (!isWithin && !isAround) return 0;
  const [left, right] = [wanted.words.length, label.words.length];
  const share = Math.min(left, right) / Math.max(left, right);
  const more = difference(wanted.words, label.words);
  const clash = more.some((word) => MODIFIERS.has(word)) ? 0.6 : 1;
  return (CONTAINED + CONTAINED_GAIN * share) * clash * (isWithin ? 1 : 0.94);
}

/** Reports whether one name has all that another one means. */
function holds({ canonicals, concepts }: Label, other: Label): boolean {
  return (
    other.canonicals.every((word) => canonicals.includes(word) || concepts.includes(word)) ||
    other.concepts.some((concept) => canonicals.includes(concept))
  );
}

function difference(left: readonly string[], right: readonly string[]): string[] {
  return [...left.filter((word) => !right.includes(word)), ...right.filter((word) => !left.includes(word))];
}

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  return (
    left.length === right.length &&
    left.every((word) => right.includes(word)) &&
    right.every((word) => left.includes(word))
  );
}
