import type { FrontierItem, PageResult } from "../../core/crawl/frontier.ts";
import type { Discoveries, JobKind, JobSpecification } from "../../jobs/kind.ts";
import type { HostReport } from "../../ports/crawl/host-throttle.ts";
import type { IndexedPage } from "../../ports/search/page-index.ts";
import type { CrawlTemplate } from "./crawl-template.ts";
import type { EarlierItem } from "./earlier-pages.ts";
import type { ManyLinks } from "./follow-links.ts";
import type { PageLinks } from "./stored-links.ts";

/** An item, the number that makes its document's ID unique, and its job. */
export interface ItemTask {
  item: FrontierItem;
  documentNumber: number;
  specification: JobSpecification;
  kind: JobKind;
  /** Common parts of the pages of the job's site. */
  template: CrawlTemplate;
  /** Reports whether the job has ended: then no page begins. */
  hasEnded: () => boolean;
  /** Reserves what the page costs beyond the credits of one page. @returns false when the key has too few left. */
  raise: (credits: number) => Promise<boolean>;
  /** The page in the earlier job that the job continues. */
  earlier?: EarlierItem | undefined;
}

/** Result of an item, before its document is stored. */
export interface ItemOutcome {
  url: string;
  result: PageResult;
  /** JSON text of the document, when there is one to store. */
  json?: string;
  /** Links and chunks of the page, for later crawls. */
  links?: PageLinks;
  /** The job's new input, when its first page was loaded. */
  rebased?: unknown;
  discoveries: Discoveries;
  /** Links that are followed when the page has left its place. */
  manyLinks?: ManyLinks;
  credits: number;
  /** Entry of the page in the search index. */
  indexed?: IndexedPage;
  /** URL of a page that has not changed and was not read, whose entry in the search index may need its renewal. */
  renewable?: string;
  /** Report to the host throttle. */
  report?: HostReport;
}
