import { Rule, rulesOf } from "./tag-rules.ts";

/** Open elements beyond this number are not tracked. */
const MAX_DEPTH = 512;

/** Tracks whether tags are inside of SVG or MathML (HTML § 13.2.6.5), for readers that build no tree. */
export class ForeignContent {
  /** The open roots of drawings and formulas, and the elements in them that may contain HTML. */
  readonly #open: string[] = [];

  get isForeign(): boolean {
    const last = this.#open.at(-1);
    return last === "svg" || last === "math";
  }

  openTag(tag: string, isSelfClosing: boolean): void {
    const rules = rulesOf(tag);
    if ((rules & Rule.breaksOut) !== 0) while (this.isForeign) this.#open.pop();
    const isHolder = tag === "svg" || tag === "math" || (this.isForeign && (rules & Rule.integrationPoint) !== 0);
    if (isHolder && !isSelfClosing && this.#open.length < MAX_DEPTH) this.#open.push(tag);
  }

  /** Ends an element with those that are open in it. An end tag that matches nothing is ignored. */
  closeTag(tag: string): void {
    if (this.#open.length === 0) return;
    const opened = this.#open.lastIndexOf(tag);
    if (opened !== -1) this.#open.length = opened;
  }
}
