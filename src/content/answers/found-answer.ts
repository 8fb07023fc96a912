import type { AnswerKind } from "./answer-kind.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import type { StructuredData } from "../structured-data/facts.ts";

/** A value of the asked kind, stated by the page. */
export interface FoundAnswer {
  kind: AnswerKind;
  /** The value as displayed: `€ 49.90`, `Ada Lovelace`, `Yes`. Always a part of `quote`, except `Yes` and `No`. */
  value: string;
  /** The text of the page that states it: a value beside a label, or a sentence. */
  quote: string;
  /** `label` when the page names the property beside the value, `text` when a sentence states it. */
  source: "label" | "text";
}

/** A page as both searches read it. */
export interface SearchedPage {
  title: string;
  markdown: string;
  url: string;
  data: StructuredData;
  budget: WorkBudget;
}
