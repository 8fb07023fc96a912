/** Letters whose pictures are scans of a known text. */
export const LETTERS = {
  eng: {
    title: "Notice to the masters of all vessels",
    paragraphs: [
      "The council of Harrow Bay gives notice that the inner harbour will be closed from the first Monday of November until the end of March. During this time the quays are rebuilt and the channel is dredged to a depth of four metres.",
      "Vessels with a berth of their own are moved to the outer mole at no cost. The harbour office writes to each owner before the work begins, and names the new berth, the date and the hour of high water on that day.",
      "Fishing boats may land their catch at the old slipway between six and nine in the morning. Ice and fuel are sold at the west gate, which stays open on all working days. Questions are answered by the office on the telephone number 555 0142.",
    ],
  },
  deu: {
    title: "Mitteilung an alle Schiffsführer",
    paragraphs: [
      "Der Rat der Stadt teilt mit, dass der innere Hafen von Anfang November bis Ende März geschlossen bleibt. In dieser Zeit werden die Kaimauern erneuert, und die Fahrrinne wird auf eine Tiefe von vier Metern ausgebaggert.",
      "Schiffe mit eigenem Liegeplatz werden für die Dauer der Arbeiten kostenlos an die äußere Mole verlegt. Das Hafenamt schreibt jedem Eigner vor Beginn und nennt den neuen Platz, den Tag und die Uhrzeit des höchsten Wasserstandes.",
      "Fischerboote können ihren Fang zwischen sechs und neun Uhr früh an der alten Rampe löschen. Eis und Öl gibt es am westlichen Tor, das an allen Werktagen geöffnet ist. Für Rückfragen steht das Amt gern zur Verfügung.",
    ],
  },
} as const;

export type LetterName = keyof typeof LETTERS;

/** Returns all paragraphs of a letter, or one of them, by its number from 0: most of the time of a recognition goes into words. */
export function paragraphsOf(name: LetterName, paragraph?: number): readonly string[] {
  const { paragraphs } = LETTERS[name];
  return paragraph === undefined ? paragraphs : paragraphs.slice(paragraph, paragraph + 1);
}

/** A letter, or its title and one of its paragraphs, as a page of the size of A4 at 150 dots an inch. */
export function letterHtml(name: LetterName, paragraph?: number): string {
  const { title } = LETTERS[name];
  const body = paragraphsOf(name, paragraph)
    .map((text) => `<p>${text}</p>`)
    .join("");
  return `<!doctype html><html lang="${name === "deu" ? "de" : "en"}"><meta charset="utf-8"><title>${title}</title>
<style>body{margin:120px;width:1000px;background:#fff;color:#111;font:26px/1.5 "DejaVu Serif","Liberation Serif",serif}h1{font-size:44px}</style>
<h1>${title}</h1>${body}</html>`;
}

/** Size of the picture of a letter in pixels. */
export const LETTER_SIZE = { width: 1240, height: 1754 };

/** Returns the share of the words of a letter's paragraphs, or of one of them, that a text has. */
export function wordRecall(name: LetterName, text: string, paragraph?: number): number {
  const left = new Map<string, number>();
  for (const word of wordsOf(text)) left.set(word, (left.get(word) ?? 0) + 1);
  const wanted = wordsOf(paragraphsOf(name, paragraph).join(" "));
  const found = wanted.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
  return found.length / wanted.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
