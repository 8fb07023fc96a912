import type { ShownDocument } from "../../playground/response/documents.ts";
import type { ArrivedPage } from "../crawl-types.ts";

/** Returns the fields of a document that the list shows. */
export function toArrived({ metadata = {} }: ShownDocument): ArrivedPage {
  const { title, sourceURL, url, statusCode, scrapeId } = metadata;
  return {
    url: String(url ?? sourceURL ?? ""),
    title: typeof title === "string" && title !== "" ? title : undefined,
    statusCode: typeof statusCode === "number" ? statusCode : undefined,
    scrapeId: typeof scrapeId === "string" ? scrapeId : undefined,
  };
}
