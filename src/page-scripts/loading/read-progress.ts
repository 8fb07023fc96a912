import type { PageProgress } from "../page-functions.ts";

/** Longer texts are worth reading although a part of the page is busy. */
const MAX_BUSY_TEXT = 400;
const MAX_PLACEHOLDER_TEXT = 100;
const BUSY_SELECTORS = [
  '[aria-busy="true"]',
  '[role="progressbar"]',
  '[class*="spinner" i]',
  '[class*="skeleton" i]',
  '[class*="loader" i]',
  '[class~="loading" i]',
];
const PLACEHOLDER = /^(loading|please wait|just a moment|one moment|initiali[sz]ing)\b/i;

/** A page with little text that marks its visible content as busy is still loading. */
export function readProgress(): PageProgress {
  // A frameset or a document that is being replaced has no body.
  const body = document.body as HTMLElement | null;
  const text = (body?.innerText ?? "").trim();
  const isBusy =
    text.length < MAX_BUSY_TEXT && document.querySelector(BUSY_SELECTORS.join(", "))?.checkVisibility() === true;
  const isPlaceholder = text.length < MAX_PLACEHOLDER_TEXT && PLACEHOLDER.test(text);
  return {
    isOnItsWay: document.scripts.length > 0 && (text.length === 0 || isBusy || isPlaceholder),
    refreshMs: readRefreshMs(),
  };
}

function readRefreshMs(): number {
  const refresh = document.querySelector<HTMLMetaElement>('meta[http-equiv="refresh" i]')?.content ?? "";
  const [, seconds] = /^\s*(\d+(?:\.\d+)?)\s*[;,]\s*url/i.exec(refresh) ?? [];
  return seconds === undefined ? -1 : Number(seconds) * 1_000;
}
