import { linesOf } from "./monitor-form.ts";
import type { WatchedOptions, WatchedTarget } from "./monitor-types.ts";

/** CSS selectors, one on a line, of the parts of a page that a check ignores, and of those that it alone compares. */
export interface Rules {
  excludeTags: string;
  includeTags: string;
}

/** The rules of one target before and after they were edited. */
interface RuleChange {
  from: Rules;
  to: Rules;
}

/** Adds and removes the changed lines in the rules of a target, whose other rules stay. Searches have no rules. */
export function withRuleChange(target: WatchedTarget, { from, to }: RuleChange): WatchedTarget {
  if (target.type === "search") return target;
  const { excludeTags = [], includeTags = [] } = target.scrapeOptions ?? {};
  const rules = {
    excludeTags: changedLines(excludeTags, { from: from.excludeTags, to: to.excludeTags }),
    includeTags: changedLines(includeTags, { from: from.includeTags, to: to.includeTags }),
  };
  return { ...target, scrapeOptions: optionsWith(target.scrapeOptions, rules) };
}

function changedLines(own: readonly string[], { from, to }: { from: string; to: string }): string {
  const [earlier, later] = [linesOf(from), linesOf(to)];
  const kept = own.filter((line) => later.includes(line) || !earlier.includes(line));
  const added = later.filter((line) => !earlier.includes(line) && !kept.includes(line));
  return [...kept, ...added].join("\n");
}

/** Returns the options of a target with these rules. */
export function optionsWith(options: WatchedOptions = {}, rules: Rules): WatchedOptions {
  const { excludeTags: _, includeTags: __, ...others } = options;
  const [excluded, included] = [linesOf(rules.excludeTags), linesOf(rules.includeTags)];
  return {
    ...others,
    ...(excluded.length === 0 ? {} : { excludeTags: excluded }),
    ...(included.length === 0 ? {} : { includeTags: included }),
  };
}
