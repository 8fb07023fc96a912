/** Languages of the recognition data that is deployed, by their ISO 639-3 codes; the first is tried first. */
export const OCR_LANGUAGES = ["eng", "deu", "fra", "spa"] as const;
export type OcrLanguage = (typeof OCR_LANGUAGES)[number];

/** Frequent words that no other of the languages has, without accents: they are recognised with data of any of them. */
const WORDS: Record<OcrLanguage, ReadonlySet<string>> = {
  eng: new Set("the and of to that with for was this are from which have has been by".split(" ")),
  deu: new Set("der und das nicht ist mit auf dem den ein eine von zu sich wird werden bei nach oder auch".split(" ")),
  fra: new Set("les et dans des est pour que qui une sur pas avec vous nous ce cette aux sont par plus".split(" ")),
  spa: new Set("los el y en las por con del una para como pero sus este esta muy se su al".split(" ")),
};
const MIN_HITS = 4;

/** Returns the language of a text by its frequent words; undefined when there are too few of them. */
export function guessLanguage(text: string): OcrLanguage | undefined {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = OCR_LANGUAGES.map((language) => ({
    language,
    hits: words.filter((word) => WORDS[language].has(word)).length,
  })).toSorted((one, other) => other.hits - one.hits);
  const [best, second] = scores;
  if (best === undefined || best.hits < MIN_HITS || best.hits <= (second?.hits ?? 0) * 1.5) return undefined;
  return best.language;
}
