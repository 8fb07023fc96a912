import { cutAtWords, wordsOf } from "./found-pages.ts";

/** A snippet with the words of the query highlighted. */
export function Highlighted({ text, query }: { text: string; query: string }) {
  const parts = cutAtWords(text, wordsOf(query));
  return <>{parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}
