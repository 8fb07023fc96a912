import { answerIn, dataIn, searchIn } from "../results/result-shapes.ts";
import type { AnswerResult, DataResult, SearchGroup } from "../results/result-shapes.ts";
import { documentsIn, linksIn, toUrl } from "./documents.ts";
import type { ResponseDocument } from "./documents.ts";

/** The contents of a response, read once for all its views. */
export interface ResponseParts {
  documents: ResponseDocument[];
  /** The document that is shown. */
  document: ResponseDocument | undefined;
  data: DataResult | undefined;
  reply: AnswerResult | undefined;
  groups: SearchGroup[];
  /** ID of the agent whose steps can be read. */
  agentId: string | undefined;
  urls: string[];
}

/** A tab of a response. */
export interface PartTab {
  name: string;
  label: string;
  count: number | undefined;
}

/** Reads the body of a response. @param at Index of the document to show. */
export function readParts(body: unknown, at: number): ResponseParts {
  const documents = documentsIn(body);
  const document = documents[at] ?? documents[0];
  const { id, threadId } = (body ?? {}) as { id?: unknown; threadId?: unknown };
  return {
    documents,
    document,
    data: dataIn(body, document),
    reply: answerIn(body, document),
    groups: searchIn(body),
    agentId: typeof id === "string" && typeof threadId === "string" ? id : undefined,
    urls: document?.links?.flatMap(toUrl) ?? linksIn(body),
  };
}

/** Returns the tabs of a response; the first one is shown first. */
export function tabsOf({ document, data, reply, groups, agentId, urls }: ResponseParts): PartTab[] {
  const has = (name: keyof ResponseDocument): boolean => document?.[name] !== undefined;
  const hits = groups.reduce((sum, { items }) => sum + items.length, 0);
  const hasSteps = agentId !== undefined || (reply?.activities.length ?? 0) > 0;
  const all: (Omit<PartTab, "count"> & { count?: number | undefined; isThere: boolean })[] = [
    { name: "results", label: "Results", count: hits, isThere: hits > 0 },
    { name: "answer", label: "Answer", isThere: reply !== undefined },
    { name: "data", label: "Data", isThere: data !== undefined },
    { name: "steps", label: "Steps", isThere: hasSteps },
    { name: "rendered", label: "Rendered", isThere: has("markdown") },
    { name: "summary", label: "Summary", isThere: has("summary") },
    { name: "screenshot", label: "Screenshot", isThere: has("screenshot") },
    { name: "links", label: "Links", count: urls.length, isThere: urls.length > 0 },
    { name: "markdown", label: "Markdown", isThere: has("markdown") },
    { name: "page", label: "Page", isThere: has("html") || has("rawHtml") },
    { name: "html", label: "HTML", isThere: has("html") },
    { name: "rawHtml", label: "Raw HTML", isThere: has("rawHtml") },
    { name: "images", label: "Images", count: document?.images?.length, isThere: has("images") },
    { name: "json", label: "JSON", isThere: true },
    { name: "metadata", label: "Metadata", isThere: has("metadata") },
    { name: "receipt", label: "Receipt", isThere: true },
  ];
  return all.filter(({ isThere }) => isThere).map(({ name, label, count }) => ({ name, label, count }));
}
