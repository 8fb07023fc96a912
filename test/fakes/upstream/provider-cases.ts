import type { ProviderCase } from "../../contracts/search-provider.ts";
import { GOV_CASES } from "./provider-cases/gov.ts";
import { IMAGE_CASES } from "./provider-cases/images.ts";
import { INNER_CASES } from "./provider-cases/inner.ts";
import { KEYED_CASES } from "./provider-cases/keyed.ts";
import { OPEN_CASES } from "./provider-cases/open.ts";
import { RESEARCH_CASES } from "./provider-cases/research.ts";

/** Every provider in every kind of place that it reads differently. */
export const PROVIDER_CASES: ProviderCase[] = [
  ...KEYED_CASES,
  ...OPEN_CASES,
  ...RESEARCH_CASES,
  ...IMAGE_CASES,
  ...GOV_CASES,
  ...INNER_CASES,
];
