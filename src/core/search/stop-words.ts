/** Words too common in their language to indicate a text's topic. In folded form. */
const STOP_WORDS = new Set(
  (
    "a an and are as at be but by can could did do does for from had has have how i if in into is it its me my no not of " +
    "on or our should so than that the their them then there these they this to was we were what when where which who " +
    "why will with would you your " +
    "aber als am auch auf aus bei das dem den der des die ein eine einem einen einer es fur hat ich im ist mit nicht oder " +
    "sich sie sind und von war was wie wird zu zum zur " +
    "au aux avec ce ces dans de du elle en est et il la le les leur mais ne nous ou par pas pour que qui sa se ses son sur " +
    "un une vous " +
    "al como con del el ella esta las lo los mas o para pero por si sin sobre su sus una y"
  ).split(" "),
);

/** Reports whether a folded word is a stop word. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Returns the words without stop words; all of them when nothing else is left. */
export function withoutStopWords(words: readonly string[]): string[] {
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : [...words];
}
