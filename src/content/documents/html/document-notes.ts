import { wrap } from "./html-text.ts";

/** Collects the notes and the comments of a document, which follow its text. */
export class DocumentNotes {
  readonly #notes: string[] = [];
  readonly #comments: string[] = [];

  /** @returns the sign of the note, for its place */
  addNote(html: string): string {
    this.#notes.push(html);
    return `<sup>[${this.#notes.length}]</sup>`;
  }

  /** @returns the sign of the comment, for its place; empty for one without text */
  addComment(html: string): string {
    if (html.trim() === "") return "";
    this.#comments.push(html);
    return `<sup>[C${this.#comments.length}]</sup>`;
  }

  /** Returns the notes so far, as a numbered list, and the comments, with the signs of their places. */
  toHtml(): string {
    const notes = this.#notes.map((note) => `<li>${note}</li>`);
    const comments = this.#comments.map((text, at) => `<dt>Comment [C${at + 1}]</dt><dd>${text}</dd>`);
    return wrap("ol", notes.join("")) + wrap("dl", comments.join(""));
  }
}
