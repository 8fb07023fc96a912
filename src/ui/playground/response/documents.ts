/** The displayed fields of a document. Fields that were not requested are undefined. */
export interface ShownDocument {
  url?: string | undefined;
  title?: string | undefined;
  markdown?: string | undefined;
  html?: string | undefined;
  rawHtml?: string | undefined;
  summary?: string | undefined;
  screenshot?: string | undefined;
  links?: unknown[] | undefined;
  images?: unknown[] | undefined;
  warning?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** A document of a response, with all its fields as they are there. */
export interface ResponseDocument extends ShownDocument {
  fields: Record<string, unknown>;
}

type Fields = Record<string, unknown>;

/** Returns the documents in a response: one of a scrape, several of a job's status or a search, otherwise none. */
export function documentsIn(body: unknown): ResponseDocument[] {
  const data = fieldsOf(body)?.["data"];
  if (Array.isArray(data)) return data.flatMap(toDocument);
  const fields = fieldsOf(data);
  if (fields === undefined) return [];
  const own = toDocument(fields);
  if (own.length > 0) return own;
  return Object.values(fields).flatMap((group) => (Array.isArray(group) ? group.flatMap(toDocument) : []));
}

/** Returns the URLs of a response that is a list of links, such as a map's. */
export function linksIn(body: unknown): string[] {
  const fields = fieldsOf(body);
  const list = fields?.["links"] ?? fields?.["urls"];
  return Array.isArray(list) ? list.flatMap(toUrl) : [];
}

/** Returns the URL of a link, which is a string or an object with `url`; an empty list if there is none. */
export function toUrl(link: unknown): string[] {
  if (typeof link === "string") return [link];
  const url = fieldsOf(link)?.["url"];
  return typeof url === "string" ? [url] : [];
}

/** Every document has metadata; the data of a job can have any names. */
function toDocument(value: unknown): ResponseDocument[] {
  const fields = fieldsOf(value);
  const metadata = fieldsOf(fields?.["metadata"]);
  if (fields === undefined || metadata === undefined) return [];
  const text = (name: string): string | undefined => textOf(fields[name]);
  const list = (name: string): unknown[] | undefined => (Array.isArray(fields[name]) ? fields[name] : undefined);
  return [
    {
      url: textOf(metadata["sourceURL"]) ?? text("url"),
      title: textOf(metadata["title"]) ?? text("title"),
      markdown: text("markdown"),
      html: text("html"),
      rawHtml: text("rawHtml"),
      summary: text("summary"),
      screenshot: text("screenshot"),
      links: list("links"),
      images: list("images"),
      warning: text("warning"),
      metadata,
      fields,
    },
  ];
}

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return textOf(value[0]);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
