const NEW_LINE = 10;
const COMMA = 44;

/** Makes lines of JSON, which come in pieces, to the items of a list: with a comma between each two. */
export class JsonLines {
  #isLineStart = true;
  #hasItems = false;

  /** Call before a piece that begins a line. */
  startLine(): void {
    this.#isLineStart = true;
  }

  /** Returns a piece of the list for a piece of the lines. */
  add(piece: Uint8Array): Uint8Array {
    // A comma takes the place of the end of a line, but for one at the beginning.
    const items = new Uint8Array(piece.byteLength + 1);
    let length = 0;
    for (const byte of piece) {
      if (byte === NEW_LINE) {
        this.#isLineStart = true;
        continue;
      }
      if (this.#isLineStart && this.#hasItems) items[length++] = COMMA;
      this.#isLineStart = false;
      this.#hasItems = true;
      items[length++] = byte;
    }
    return items.subarray(0, length);
  }
}
