/** Values by a text, each for as long as somebody else holds it: those who ask for the same text share one. */
export class HeldValues<Value extends object> {
  readonly #values = new Map<string, WeakRef<Value>>();

  /** Number of values, with some that nobody has held since the last new one was made. */
  get size(): number {
    return this.#values.size;
  }

  /** Returns the value of a text, or makes it. */
  get(text: string, make: () => Value): Value {
    const held = this.#values.get(text)?.deref();
    if (held !== undefined) return held;
    for (const [other, value] of this.#values) if (value.deref() === undefined) this.#values.delete(other);
    const made = make();
    this.#values.set(text, new WeakRef(made));
    return made;
  }
}
