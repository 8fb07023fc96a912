import { format } from "node:util";
import { MAX_OUTPUT_CHARS, OUTPUT_NOTE } from "../core/sessions/execution.ts";

/** One stream's output, cut where it becomes too long: what comes after is not even formatted. */
class CappedText {
  #parts: string[] = [];
  #length = 0;
  #isCut = false;

  add(make: () => string): void {
    if (this.#isCut) return;
    const text = make();
    const room = MAX_OUTPUT_CHARS - this.#length;
    this.#isCut = text.length > room;
    this.#parts.push(this.#isCut ? text.slice(0, room) + OUTPUT_NOTE : text);
    this.#length += text.length;
  }

  toString(): string {
    return this.#parts.join("");
  }
}

/** Collects what a program writes. */
export class CapturedOutput {
  readonly #stdout = new CappedText();
  readonly #stderr = new CappedText();

  write(stream: "stdout" | "stderr", text: string): void {
    (stream === "stdout" ? this.#stdout : this.#stderr).add(() => text);
  }

  /** A console whose lines end up here. */
  console(): Record<string, (...values: unknown[]) => void> {
    const to =
      (stream: CappedText) =>
      (...values: unknown[]): void =>
        stream.add(() => `${format(...values)}\n`);
    const out = to(this.#stdout);
    const error = to(this.#stderr);
    const nothing = (): void => undefined;
    return {
      log: out,
      info: out,
      debug: out,
      dir: (value) => out(value),
      table: (value) => out(value),
      group: out,
      groupEnd: nothing,
      time: nothing,
      timeEnd: nothing,
      count: nothing,
      warn: error,
      error,
      trace: error,
      assert: (isTrue, ...values) => (isTrue ? undefined : error("Assertion failed:", ...values)),
    };
  }

  texts(): { stdout: string; stderr: string } {
    return { stdout: this.#stdout.toString(), stderr: this.#stderr.toString() };
  }
}
