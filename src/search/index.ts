import type { PageIndex } from "../ports/page-index.ts";
import type { Clock } from "../ports/system.ts";
import { createOwnIndex } from "./own-index.ts";
import type { SearchProvider } from "./provider.ts";

/** What providers are made from. */
export interface ProviderParts {
  pages: PageIndex;
  clock: Clock;
  /** How long a page stays in the own index; 0 when there is none. */
  indexRetentionMs: number;
}

/** Every provider that this deployment can ask. A new one is named here and nowhere else. */
export function buildProviders({ pages, clock, indexRetentionMs }: ProviderParts): SearchProvider[] {
  return indexRetentionMs === 0 ? [] : [createOwnIndex({ pages, clock, retentionMs: indexRetentionMs })];
}
