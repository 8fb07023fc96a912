import type { Endpoint } from "../core/account/api-key.ts";

/** The work that a request has done, as opposed to reading stored results. */
export interface Work {
  endpoint: Endpoint;
  /** The URL, the search query or the file that the work is about; null for none, and for zero data retention. */
  target: string | null;
  /** The id of the work; the request's own id by default. */
  id?: string;
  /** Name under which activity and usage list the work. Default: the endpoint. */
  listedAs?: "deep_research" | "llmstxt" | "interact" | undefined;
  /** Number of pages in the response. */
  pages?: number;
  /** The engine that loaded the page. */
  engine?: string;
}
