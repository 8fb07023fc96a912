import { initSync, processPdf } from "@firecrawl/pdf-inspector-wasm";
// @ts-expect-error -- a compiled module has no types
import inspector from "@firecrawl/pdf-inspector-wasm/pdf_inspector_wasm_bg.wasm";
import { extractText, getDocumentProxy } from "unpdf";
import { isAppError } from "../../../src/core/errors.ts";
import { WorkBudget } from "../../../src/core/work-budget.ts";
import { documentKind } from "../../../src/content/documents/kind/kind.ts";
import { readDocument } from "../../../src/content/documents/read-document.ts";

/** A reading of one file: its markdown with the metadata's values, or the code of a typed error. */
export interface Reading {
  markdown: string;
  metadata: string;
  pages: number;
  /** What the reader says of parts that it left out; empty without such words. */
  warning: string;
  /** Steps of the budget for reading; 0 for readers without one. */
  steps: number;
  /** Empty without an error; `untyped` for an error without a code. */
  error: string;
}

type Reader = (bytes: Uint8Array, name: string) => Promise<Partial<Reading>>;

const NOTHING: Reading = { markdown: "", metadata: "", pages: 1, warning: "", steps: 0, error: "" };

const READERS: Record<string, Reader | undefined> = {
  orbweaver: async (bytes, name) => {
    const kind = documentKind({ contentType: undefined, name, bytes });
    if (kind === undefined || kind === "html" || kind === "image") return {};
    const budget = new WorkBudget();
    const url = `https://bench.example/${name}`;
    const {
      markdown,
      metadata,
      numPages = 1,
      warning = "",
    } = await readDocument(kind, bytes, { contentType: undefined, url, budget });
    return { markdown, metadata: JSON.stringify(metadata), pages: numPages, warning, steps: budget.steps };
  },
  "pdf-inspector-wasm": async (bytes) => {
    initSync({ module: inspector });
    const { markdown = "", pageCount } = processPdf(bytes);
    return { markdown, pages: pageCount };
  },
  "unpdf text": async (bytes) => {
    const document = await getDocumentProxy(bytes.slice());
    const { text, totalPages } = await extractText(document, { mergePages: true });
    await document.loadingTask.destroy();
    return { markdown: text, pages: totalPages };
  },
  nothing: async () => ({}),
};

/** Reads the posted file by the reader that the query names. */
export default {
  async fetch(request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const read = READERS[searchParams.get("reader") ?? "nothing"];
    if (read === undefined) return new Response("no such reader", { status: 404 });
    const bytes = new Uint8Array(await request.arrayBuffer());
    try {
      return Response.json({ ...NOTHING, ...(await read(bytes, searchParams.get("name") ?? "")) } satisfies Reading);
    } catch (error) {
      const code = isAppError(error) ? error.code : "untyped";
      return Response.json({ ...NOTHING, error: code } satisfies Reading);
    }
  },
} satisfies ExportedHandler;
