import { readStored, writeStored } from "../parts/browser-storage.ts";

const NAME = "sample";
const FALLBACK = "https://example.com";

/** Returns the URL that forms start with: the last one requested, or the sample page of `npm start`. */
export function sampleUrl(): string {
  return readStored<string>(NAME, FALLBACK, sessionStorage);
}

/** Stores the URL that forms start with. Ignores anything but an http or https URL. */
export function keepSampleUrl(text: string | null): void {
  if (text !== null && /^https?:\/\//.test(text) && URL.canParse(text)) writeStored(NAME, text, sessionStorage);
}
