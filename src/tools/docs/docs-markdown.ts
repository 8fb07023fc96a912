import { Marked, Renderer, type Token, type Tokens } from "marked";

/** A part of a document below one heading. */
export interface DocSection {
  /** The text of the heading. */
  heading: string;
  anchor: string;
  /** 1 for the title of the document. */
  level: number;
  /** The text of the section without markup. */
  text: string;
}

export interface RenderedDoc {
  title: string;
  html: string;
  sections: DocSection[];
  /** Targets of the links as they are written in the document. */
  links: string[];
}

/** Renders one document. Raw HTML is shown as text, so that a document cannot bring markup of its own into the page. */
export function renderDoc(markdown: string): RenderedDoc {
  const anchors = new Anchors();
  const links: string[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const anchor = anchors.next(plainText(tokens));
        const words = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}">${words} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        links.push(href);
        return `<a href="${escapeHtml(servedAddress(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ text }: Tokens.Image): string => escapeHtml(text),
      html: ({ text }: Tokens.HTML | Tokens.Tag): string => (text.startsWith("<!--") ? "" : escapeHtml(text)),
      code: ({ text, lang }: Tokens.Code): string =>
        `<pre tabindex="0"><code class="language-${escapeHtml(lang?.split(" ")[0] || "text")}">${escapeHtml(text)}\n</code></pre>\n`,
      table(token: Tokens.Table): string {
        const table = Renderer.prototype.table.call(this, token);
        return `<div class="table" tabindex="0" role="region" aria-label="Table">${table}</div>\n`;
      },
    },
  });
  const html = marked.parser(marked.lexer(markdown));
  const sections = sectionsOf(marked.lexer(markdown));
  return { title: sections[0]?.heading ?? "", html, sections, links };
}

/** Returns the address below `/docs/` of a linked document, whatever folder it is in. Other links stay unchanged. */
function servedAddress(href: string): string {
  const page = /^(?:\.{1,2}\/)*(?:[\w-]+\/)?([\w-]+)\.md(#.*)?$/.exec(href);
  if (page === null) return href;
  const [, name = "", fragment = ""] = page;
  return `/docs/${name === "index" ? "" : name}${fragment}`;
}

function sectionsOf(tokens: readonly Token[]): DocSection[] {
  const anchors = new Anchors();
  const sections: DocSection[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = plainText(token.tokens ?? []);
      sections.push({ heading, anchor: anchors.next(heading), level: (token as Tokens.Heading).depth, text: "" });
      continue;
    }
    const section = sections.at(-1);
    const text = plainText([token]);
    if (section !== undefined && text !== "") section.text = `${section.text} ${text}`.trim();
  }
  return sections;
}

function plainText(tokens: readonly Token[]): string {
  return tokens.map(textOfToken).join("").replace(/\s+/g, " ");
}

function textOfToken(token: Token): string {
  switch (token.type) {
    case "html":
      return "";
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => row.map(({ tokens }) => plainText(tokens)).join(" ")).join(" ");
    }
    case "list":
      return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(" ");
    default: {
      const inner = (token as { tokens?: Token[] }).tokens;
      return inner === undefined ? String((token as { text?: string }).text ?? "") : plainText(inner);
    }
  }
}

/** Anchors as GitHub makes them, so that a link works in both places. */
class Anchors {
  readonly #used = new Map<string, number>();

  next(heading: string): string {
    const base = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = this.#used.get(base) ?? 0;
    this.#used.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  }
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
