import { isBase } from "../resolve-url.ts";
import type { HtmlHead } from "./element-node.ts";

/** MathJax stores its formulas in scripts: the one kind whose text is content. */
export const TEX_SCRIPT = /^math\/tex/i;
const JSON_LD = /ld\+json/i;

/** Records a page's metadata while it is parsed, and excludes the text of scripts and styles from the tree. */
export class HeadRecorder {
  readonly head: HtmlHead = { title: "", metas: [], links: [], baseHref: "", jsonLd: [], language: "" };
  #isInTitle = false;
  #mutedBy = "";
  #jsonLd: string | undefined;

  /** @param isClosed true for a tag of SVG or MathML that closes itself: no end tag follows */
  open(
    tag: string,
    attributes: Readonly<Record<string, string>>,
    { isForeign, isClosed }: { isForeign: boolean; isClosed: boolean },
  ): void {
    const { head } = this;
    switch (tag) {
      case "meta":
        head.metas.push(attributes);
        break;
      case "link":
        head.links.push(attributes);
        break;
      case "base":
        if (head.baseHref === "" && isBase(attributes["href"] ?? "")) head.baseHref = attributes["href"] ?? "";
        break;
      case "html":
        head.language ||= attributes["lang"] ?? attributes["xml:lang"] ?? "";
        break;
      case "title":
        this.#isInTitle = !isForeign && head.title === "";
        break;
      case "script":
        if (isClosed) break;
        if (!TEX_SCRIPT.test(attributes["type"] ?? "")) this.#mutedBy ||= tag;
        if (JSON_LD.test(attributes["type"] ?? "")) this.#jsonLd = "";
        break;
      case "style":
        if (!isClosed) this.#mutedBy ||= tag;
    }
  }

  close(tag: string): void {
    if (tag === "title") this.#isInTitle = false;
    // A drawing or formula ends a style that is left open in it; elsewhere the text of a style has no tags.
    if (tag === this.#mutedBy || tag === "svg" || tag === "math") this.#mutedBy = "";
    if (tag !== "script" || this.#jsonLd === undefined) return;
    this.head.jsonLd.push(this.#jsonLd);
    this.#jsonLd = undefined;
  }

  /** True for text that stays out of the tree. */
  takesText(text: string): boolean {
    if (this.#isInTitle) this.head.title += text;
    if (this.#mutedBy === "") return false;
    if (this.#jsonLd !== undefined) this.#jsonLd += text;
    return true;
  }
}
