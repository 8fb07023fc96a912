import type { Cleaned } from "./clean.ts";
import { isHidden } from "./hidden.ts";
import { blocksOfElement, paragraphs } from "./markdown/blocks.ts";
import { PLAIN, type Emitter, type InlineContext } from "./markdown/emitter.ts";
import { inlineMarkdown } from "./markdown/inline.ts";
import { isFormulaTwin, isTexScript } from "./markdown/math.ts";
import { BLOCK_TAGS, type ElementNode } from "./tree.ts";

export interface MarkdownOptions {
  baseUrl: string;
  /** Pictures in `data:` addresses are replaced by a note that keeps their description. */
  removeBase64Images: boolean;
}

/** Elements whose content is never text for a reader. */
const SILENT_TAGS = new Set(
  "head script style template svg object embed canvas select textarea title datalist noscript map".split(" "),
);
/** Elements that stand alone although HTML counts them as phrases. */
const MEDIA_BLOCKS = new Set(["iframe", "video", "audio"]);
/** Inline content that some sites style as blocks never makes a block of its parent. */
const NEVER_BLOCK = new Set(["button", "option", "optgroup", "head"]);

/**
 * Writes what is kept of a page as CommonMark with GFM, ending in a line end; empty for nothing.
 * Deterministic, linear in the size of the page. Recursion is bounded: the tree is at most 512 deep.
 */
export function emitMarkdown(cleaned: Cleaned, options: MarkdownOptions): string {
  const emitter = new MarkdownEmitter(cleaned, options);
  const blocks = cleaned.roots.flatMap((root) => emitter.blocksOf(root));
  return blocks.length === 0 ? "" : `${blocks.join("\n\n").trim()}\n`;
}

class MarkdownEmitter implements Emitter {
  readonly baseUrl: string;
  readonly removeBase64Images: boolean;
  private readonly cleaned: Cleaned;
  private readonly blockHolders = new Map<ElementNode, boolean>();

  constructor(cleaned: Cleaned, options: MarkdownOptions) {
    this.cleaned = cleaned;
    this.baseUrl = options.baseUrl;
    this.removeBase64Images = options.removeBase64Images;
  }

  blocks(element: ElementNode): string[] {
    const blocks: string[] = [];
    let run: (ElementNode | string)[] = [];
    const endRun = (): void => {
      if (run.length > 0) blocks.push(...this.paragraphs(run));
      run = [];
    };
    for (const child of this.keptChildren(element)) {
      if (typeof child === "string" || !this.isBlock(child)) {
        run.push(child);
        continue;
      }
      endRun();
      for (const block of blocksOfElement(this, child)) blocks.push(block);
    }
    endRun();
    return blocks;
  }

  blocksOf(element: ElementNode): string[] {
    if (this.isSkipped(element)) return [];
    if (this.isBlock(element)) return blocksOfElement(this, element);
    return this.paragraphs([element]);
  }

  paragraphs(nodes: readonly (ElementNode | string)[]): string[] {
    return paragraphs(inlineMarkdown(this, nodes));
  }

  inline(element: ElementNode, context: InlineContext = PLAIN): string {
    return inlineMarkdown(this, this.keptChildren(element), context);
  }

  line(element: ElementNode): string {
    return this.blocks(element)
      .join(" ")
      .replace(/\s*\n\s*/g, " ")
      .trim();
  }

  isSkipped(element: ElementNode): boolean {
    if (this.cleaned.droppedElements.has(element)) return true;
    if (SILENT_TAGS.has(element.tag)) return !isTexScript(element);
    if (isFormulaTwin(element)) return true;
    if (this.cleaned.revealsHidden) return false;
    return element.tag === "button" || isHidden(element);
  }

  keptChildren(element: ElementNode): (ElementNode | string)[] {
    const dropped = this.cleaned.droppedText.get(element);
    return element.children.filter((child, index) =>
      typeof child === "string" ? dropped?.has(index) !== true : !this.isSkipped(child),
    );
  }

  isBlock(element: ElementNode): boolean {
    if (NEVER_BLOCK.has(element.tag)) return false;
    if (BLOCK_TAGS.has(element.tag) || MEDIA_BLOCKS.has(element.tag)) return true;
    if (element.children.length === 0) return false;
    const known = this.blockHolders.get(element);
    if (known !== undefined) return known;
    const holds = element.children.some((child) => typeof child !== "string" && this.isBlock(child));
    this.blockHolders.set(element, holds);
    return holds;
  }
}
