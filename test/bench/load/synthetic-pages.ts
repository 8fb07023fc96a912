import type { IndexedPage } from "../../../src/ports/search/page-index.ts";

const SYLLABLES = "ba be bi bo bu ca ce co da de di do fa fe fo ga ge go ha he hi ho ka ke ki la le li lo lu ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va ve vi wa we zo".split(" "); // prettier-ignore
const VOCABULARY = 50_000;
const WORDS_A_PAGE = 300;
const HOSTS = 500;
const DAY_MS = 86_400_000;
const KANJI = "日本語港船鐘東京都市海山川風雨雪月火水木金土曜冬春夏秋学校電車道";

/** A generator of numbers that are the same every time (Mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The word of a rank: the most frequent are the shortest, as in a language. */
export function wordOf(rank: number): string {
  let word = "";
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
  }
  return word;
}

/** A rank by Zipf's law with exponent one. */
export function zipfRank(random: () => number): number {
  return Math.min(VOCABULARY - 1, Math.floor(Math.exp(random() * Math.log(VOCABULARY))) - 1);
}

/** Page number so many of a corpus that is the same every time; every fiftieth is Japanese. */
export function syntheticPage(number: number, nowMs: number): IndexedPage {
  const random = seededRandom(number + 1);
  const isJapanese = number % 50 === 0;
  const words = Array.from({ length: WORDS_A_PAGE }, () => wordOf(zipfRank(random)));
  const sentence = (start: number): string => `${words.slice(start, start + 12).join(" ")}.`;
  const japanese = Array.from({ length: 200 }, () => KANJI[Math.floor(random() * KANJI.length)]).join("");
  const sentences = Array.from({ length: WORDS_A_PAGE / 12 }, (_, index) => sentence(index * 12));
  return {
    url: `https://host${number % HOSTS}.example/${words[0]}/${number}`,
    title: isJapanese ? japanese.slice(0, 12) : words.slice(0, 6).join(" "),
    description: "",
    language: isJapanese ? "ja" : number % 3 === 0 ? "de" : "en",
    body: isJapanese ? japanese : sentences.join(" "),
    fileType: number % 20 === 0 ? "pdf" : "html",
    datedAtMs: nowMs - Math.floor(random() * 700) * DAY_MS,
    scrapeId: `${number}`,
  };
}

/** Queries as people write them: rare and common words, several of them, phrases, sites, times, Japanese. */
export function syntheticQueries(count: number, pages: number): { kind: string; body: Record<string, unknown> }[] {
  const random = seededRandom(7);
  const pick = (least: number, most: number): string => wordOf(least + Math.floor(random() * (most - least)));
  const somePage = () => syntheticPage(Math.floor(random() * pages), Date.now());
  const kinds: Record<string, () => Record<string, unknown>> = {
    "one rare word": () => ({ query: pick(2_000, 20_000) }),
    "two words": () => ({ query: `${pick(50, 2_000)} ${pick(200, 10_000)}` }),
    "three words": () => ({ query: `${pick(5, 100)} ${pick(50, 2_000)} ${pick(500, 5_000)}` }),
    "a question": () => ({ query: `what is the ${pick(20, 300)} of ${pick(300, 3_000)} in ${pick(100, 1_000)}` }),
    "a common word": () => ({ query: pick(0, 20) }),
    "two common words": () => ({ query: `${pick(0, 20)} ${pick(0, 20)}` }),
    "a phrase": () => ({ query: `"${somePage().body.split(" ").slice(12, 15).join(" ")}"` }),
    "a site": () => ({ query: `site:host${Math.floor(random() * HOSTS)}.example ${pick(0, 200)}` }),
    "the last month": () => ({ query: `${pick(50, 500)} ${pick(50, 500)}`, tbs: "qdr:m" }),
    "a language": () => ({ query: pick(100, 2_000), lang: "de" }),
    Japanese: () => ({ query: `${KANJI[Math.floor(random() * 20)]}${KANJI[Math.floor(random() * 20)]}${KANJI[Math.floor(random() * 20)]}` }), // prettier-ignore
  };
  const names = Object.keys(kinds);
  return Array.from({ length: count }, (_, index) => {
    const kind = names[index % names.length] ?? "";
    return { kind, body: { ...kinds[kind]?.(), limit: 10 } };
  });
}
