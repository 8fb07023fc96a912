import { escapeHtml } from "../html/html-text.ts";

/** Sentences that Office adds to descriptions which it writes itself, in English; they say nothing of the picture. */
const ADDED =
  /(?<!\s)\s*(?:Description automatically generated(?: with [a-z ]{1,40} confidence)?|AI-generated content may be incorrect)\.?\s*$/i;

/** A description that only says that there is a picture, or where its file was. */
const EMPTY =
  /^(?:(?:picture|image|photo|graphic|shape)(?: \d{1,5})?|(?:[a-z]:\\|\\\\|file:)[^\n]{0,400}|\S{1,200}\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?|svg))$/i;

/** Writes the alternative text of a picture in an office file as HTML; empty without one. */
export function pictureText(description: string | undefined): string {
  const text = descriptionText(description ?? "");
  return text === "" ? "" : `<p><em>${escapeHtml(text)}</em></p>`;
}

/** Returns an alternative text without the sentence that Office adds to its own; empty for one that describes nothing. */
export function descriptionText(description: string): string {
  const text = description.replace(ADDED, "").trim();
  return EMPTY.test(text) ? "" : text;
}
