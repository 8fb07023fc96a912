import type { SitemapUrl } from "./sitemap-url.ts";
import { Parser } from "htmlparser2";
import { WorkBudget } from "../../core/work-budget.ts";
import { withoutPrototype } from "../../core/without-prototype.ts";

/** Receives addresses as they are read. */
export interface SitemapSink {
  onUrl(entry: SitemapUrl): void;
  onSitemap(url: string): void;
}

/** Element names of an entry in each format, and the kind of address that it lists. */
const ENTRIES: Record<string, "url" | "sitemap"> = withoutPrototype({
  url: "url",
  sitemap: "sitemap",
  item: "url",
  entry: "url",
});
const ADDRESSES = new Set(["loc", "link", "guid", "id"]);
const DATES = new Set(["lastmod", "pubdate", "updated", "date", "published"]);
const MAX_DEPTH = 64;
const MAX_TEXT = 4_096;
const MAX_PROBLEMS = 10;
/** Characters that are read in the time of a step. */
const CHARS_PER_STEP = 16;

interface Entry {
  name: string;
  lists: "url" | "sitemap";
  /** Number of open elements around its fields. */
  depth: number;
  address: string;
  /** Address of a feed's item without a link. */
  permalink: string;
  date: string;
  title: string;
}

/** Reads one sitemap in any of the known forms, piece by piece. Holds no more than one entry. */
export class SitemapReader {
  isStopped = false;
  readonly #sink: SitemapSink;
  readonly #contentType: string;
  readonly #budget: WorkBudget;
  readonly #problems: string[] = [];
  #decoder: TextDecoder | undefined;
  #reading: { write(text: string): void; end(): void } | undefined;

  constructor({
    sink,
    contentType,
    budget = new WorkBudget(),
  }: {
    sink: SitemapSink;
    contentType?: string | undefined;
    budget?: WorkBudget | undefined;
  }) {
    this.#sink = sink;
    this.#budget = budget;
    this.#contentType = contentType ?? "";
  }

  write(bytes: Uint8Array): void {
    if (this.isStopped || bytes.byteLength === 0) return;
    if (!this.#budget.take(Math.ceil(bytes.byteLength / CHARS_PER_STEP))) return this.#stopForWork();
    this.#decoder ??= decoderFor(bytes, this.#contentType);
    this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Stops reading; entries read so far count, an address that is cut off does not. */
  stop(problem: string): void {
    this.#note(problem);
    this.isStopped = true;
  }

  #stopForWork(): void {
    this.stop("Reading the file takes more work than this service allows");
  }

  /** @returns the problems that were found. */
  end(): string[] {
    if (!this.isStopped) {
      this.#take(this.#decoder?.decode() ?? "");
      this.#reading?.end();
      if (this.#reading === undefined) this.#note("The file is empty");
    }
    return this.#problems;
  }

  #take(text: string): void {
    this.#reading ??= this.#begin(text);
    this.#reading?.write(text);
  }

  /** Distinguishes XML from a list by the first character that is not white space. */
  #begin(text: string): { write(text: string): void; end(): void } | undefined {
    const first = text.trimStart()[0];
    if (first === undefined) return undefined;
    return first === "<" ? this.#readXml() : this.#readList();
  }

  /** Reads one address a line (sitemaps.org). With any other line the file is not a sitemap. */
  #readList(): { write(text: string): void; end(): void } {
    let rest = "";
    const take = (line: string): void => {
      const text = line.trim();
      if (!this.isStopped && !this.#budget.take()) return this.#stopForWork();
      if (text !== "")
        this.#give({ name: "", lists: "url", depth: 0, address: text, permalink: "", date: "", title: "" });
    };
    return {
      write: (text) => {
        const lines = `${rest}${text}`.split(/\r\n|\r|\n/);
        rest = (lines.pop() ?? "").slice(0, MAX_TEXT + 1);
        for (const line of lines) take(line);
      },
      end: () => take(rest),
    };
  }

  #readXml(): { write(text: string): void; end(): void } {
    let depth = 0;
    let entry: Entry | undefined;
    let field = "";
    let text = "";
    const endField = (): void => {
      if (entry !== undefined && field !== "") setField(entry, field, text.trim());
      field = "";
      text = "";
    };
    const endEntry = (): void => {
      endField();
      if (entry !== undefined) this.#give(entry);
      entry = undefined;
    };
    const parser = new Parser(
      {
        onopentag: (tag, attributes) => {
          depth++;
          if (this.isStopped) return;
          if (!this.#budget.take()) return this.#stopForWork();
          if (depth > MAX_DEPTH) return this.stop(`Elements are nested deeper than ${MAX_DEPTH}`);
          const [name, prefix] = localName(tag);
          if (depth === 1 && name === "html") return this.stop("This is a web page and no sitemap");
          const lists = ENTRIES[name];
          // An entry inside an entry: the end of the first is missing. The picture of a feed's item has a `url` of its own.
          const isUrl = name === "url" && entry !== undefined;
          const isOwn = prefix === "" && (entry?.name === "url" || entry?.depth === depth);
          if (lists !== undefined && (!isUrl || isOwn)) {
            endEntry();
            entry = { name, lists, depth, address: "", permalink: "", date: "", title: "" };
            return;
          }
          if (entry === undefined) return;
          // `image:loc` and the like are nested deeper and are not pages.
          if (depth !== entry.depth + 1 && !(name === "title" && prefix === "news")) return;
          endField();
          if (ADDRESSES.has(name) || DATES.has(name) || name === "title") field = fieldOf(name, attributes);
          const { href, rel = "alternate" } = attributes;
          if (name === "link" && prefix !== "xhtml" && href !== undefined && rel === "alternate")
            entry.address ||= href;
        },
        ontext: (piece) => {
          if (field !== "" && text.length <= MAX_TEXT) text += piece;
        },
        onclosetag: (tag) => {
          depth--;
          if (entry === undefined) return;
          if (depth === entry.depth || localName(tag)[0] === field) endField();
          if (depth < entry.depth) endEntry();
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
    return {
      write: (piece) => {
        if (!this.isStopped) parser.write(piece);
      },
      end: () => {
        parser.end();
        endEntry();
      },
    };
  }

  #give({ lists, address, permalink, date, title }: Entry): void {
    if (this.isStopped) return;
    const text = address === "" ? permalink : address;
    if (text === "") return;
    const url = text.length > MAX_TEXT ? null : URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol))
      return this.#note(`No address of a page: ${text.slice(0, 100)}`);
    if (lists === "sitemap") return this.#sink.onSitemap(url.href);
    this.#sink.onUrl({
      url: url.href,
      ...(date === "" ? {} : { lastModified: date }),
      ...(title === "" ? {} : { title }),
    });
  }

  #note(problem: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }
}

/** Returns a name without its prefix, and the prefix, whichever the document uses for its namespaces. */
function localName(tag: string): [name: string, prefix: string] {
  const colon = tag.indexOf(":");
  return colon < 0 ? [tag.toLowerCase(), ""] : [tag.slice(colon + 1).toLowerCase(), tag.slice(0, colon).toLowerCase()];
}

/**
 * Returns the field of an element. A `guid` is an address unless marked otherwise; an Atom `id` is one when it looks
 * like one.
 */
function fieldOf(name: string, attributes: Record<string, string>): string {
  return name === "guid" && attributes["isPermaLink"] === "false" ? "" : name;
}

function setField(entry: Entry, field: string, text: string): void {
  if (text === "") return;
  if (field === "loc" || field === "link") entry.address ||= text;
  else if (field === "guid" || field === "id") {
    if (/^https?:\/\//i.test(text)) entry.permalink ||= text;
  } else if (field === "title") entry.title ||= text;
  else entry.date ||= text;
}

/** Selects the decoder: by byte order mark, then by the charset that the file or its header declares, else UTF-8. */
function decoderFor(bytes: Uint8Array, contentType: string): TextDecoder {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder();
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  const start = String.fromCharCode(...bytes.subarray(0, 200));
  const declared = /encoding\s*=\s*["']([\w-]+)/i.exec(start)?.[1];
  const label = declared ?? /charset=["']?([\w-]+)/i.exec(contentType)?.[1];
  try {
    const decoder = new TextDecoder(label ?? "utf-8");
    // The declaration was read as ASCII, so the bytes cannot be UTF-16; HTML § 13.2.3.2 requires UTF-8.
    return declared !== undefined && decoder.encoding.startsWith("utf-16") ? new TextDecoder() : decoder;
  } catch {
    return new TextDecoder();
  }
}
