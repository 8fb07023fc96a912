import { keep, readKept } from "../parts/kept.ts";

const NAME = "sample";
const FALLBACK = "https://example.com";

/** A page to begin with: the one that was tried last, or that `npm start` serves for that. */
export function sampleUrl(): string {
  return readKept<string>(NAME, FALLBACK, sessionStorage);
}

/** @param text of the dashboard's own address; only an address of a web page counts. */
export function keepSampleUrl(text: string | null): void {
  if (text !== null && /^https?:\/\//.test(text) && URL.canParse(text)) keep(NAME, text, sessionStorage);
}
