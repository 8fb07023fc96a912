import { atOnce, type Turns } from "../../core/in-turns.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { hasLongPiece, matchesPath, toMatchablePath } from "./robots-path.ts";

/** One `Allow` or `Disallow`; the pattern is normalised, see `toPathPattern`. */
export interface RobotsRule {
  allow: boolean;
  pattern: string;
}

/** Steps for one URL: enough for all rules of a file and a long URL. */
const MAX_STEPS_PER_URL = 1_000_000;
/** Steps after which one URL lets others run, 2 ms with the worst patterns: a run checks the URLs of several pages at a time. */
const STEPS_A_PIECE = 25_000;
/** Characters of a pattern or a path that are read in the time of a step, and where long pieces of it are searched. */
const CHARS_PER_STEP = 16;
const SEARCHED_CHARS_PER_STEP = 8;
/** Patterns that are passed over in the time of a step. */
const PATTERNS_PER_STEP = 4;

/** A pattern with stars, and what tells that it does not match without looking for its pieces. */
interface StarRule extends RobotsRule {
  /** Characters in front of the first star, and, where the pattern has an end, behind the last one. */
  first: string;
  last: string;
  /** Characters that a path has at least. */
  least: number;
  charsPerStep: number;
}

/** A pattern that is the start of paths. */
interface StartRule extends RobotsRule {
  /** The longest other pattern that is a start of this one. */
  shorter: StartRule | undefined;
}

/**
 * The rules of a robots.txt for one crawler, prepared for many URLs: the longest pattern that matches decides, and `Allow` where
 * two are as long (RFC 9309 § 2.2.2). Patterns without operators are found by a binary search, and those with stars are compared
 * from the longest on, so that few are in most cases.
 */
export class RobotsRules {
  /** In the order of their characters. */
  readonly #starts: StartRule[];
  readonly #whole = new Map<string, RobotsRule>();
  /** The longest first. */
  readonly #stars: StarRule[];

  constructor(rules: readonly RobotsRule[]) {
    const byPattern = new Map<string, RobotsRule>();
    for (const rule of rules) if (rule.allow || !byPattern.has(rule.pattern)) byPattern.set(rule.pattern, rule);
    const all = [...byPattern.values()];
    this.#starts = toStartRules(all.filter(({ pattern }) => !pattern.includes("*") && !pattern.endsWith("$")));
    this.#stars = all.filter(({ pattern }) => pattern.includes("*")).map(toStarRule);
    this.#stars.sort(
      (one, other) => other.pattern.length - one.pattern.length || Number(other.allow) - Number(one.allow),
    );
    for (const rule of all)
      if (!rule.pattern.includes("*") && rule.pattern.endsWith("$")) this.#whole.set(rule.pattern.slice(0, -1), rule);
  }

  /**
   * Reports whether the crawler may load a URL.
   * @param budget the steps for it; when they are spent before all rules were read, the URL is not allowed
   */
  allows(url: string, budget?: WorkBudget): boolean {
    return atOnce(this.allowing(url, budget));
  }

  /** Reports the same, and yields after every 25,000 steps. */
  *allowing(url: string, budget = new WorkBudget({ steps: MAX_STEPS_PER_URL })): Turns<boolean> {
    let turnAt = budget.steps + STEPS_A_PIECE;
    const path = toMatchablePath(url);
    if (path === "/robots.txt") return true;
    if (!budget.take(1 + Math.ceil(path.length / CHARS_PER_STEP))) return false;
    const whole = this.#whole.get(path);
    const start = this.#startOf(path);
    let best: RobotsRule | undefined =
      whole !== undefined && (start === undefined || outweighs(whole, start)) ? whole : start;
    let passed = 0;
    for (const rule of this.#stars) {
      if (best !== undefined && !outweighs(rule, best)) break;
      if (++passed % PATTERNS_PER_STEP === 0 && !budget.take()) return false;
      if (budget.steps >= turnAt) {
        turnAt = budget.steps + STEPS_A_PIECE;
        yield;
      }
      if (rule.least > path.length || !path.startsWith(rule.first) || !path.endsWith(rule.last)) continue;
      if (!budget.take(1 + Math.ceil((rule.pattern.length + path.length) / rule.charsPerStep))) return false;
      if (!matchesPath(rule.pattern, path)) continue;
      best = rule;
      break;
    }
    return best?.allow ?? true;
  }

  /** Returns the longest pattern without operators with which a path starts. */
  #startOf(path: string): RobotsRule | undefined {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle]?.pattern ?? "") <= path) low = middle + 1;
      else high = middle;
    }
    // All patterns with which the path starts are starts of the one in front of its place.
    let rule = this.#starts[low - 1];
    const common = rule === undefined ? 0 : commonStart(rule.pattern, path);
    while (rule !== undefined && rule.pattern.length > common) rule = rule.shorter;
    return rule;
  }
}

/** Steps for all URLs of one request, a second with the worst patterns. */
const MAX_STEPS_OF_REQUEST = 10_000_000;
/** Steps after which other requests get their turn, 20 ms with the worst patterns. One URL may take 100 ms before that. */
const STEPS_A_TURN = 200_000;

/** The rules for the URLs that one request finds, which have a budget together. */
export class RulesOfRequest {
  readonly #rules: RobotsRules;
  readonly #budget: WorkBudget;
  #nextTurn = STEPS_A_TURN;

  constructor(rules: RobotsRules, steps = MAX_STEPS_OF_REQUEST) {
    this.#rules = rules;
    this.#budget = new WorkBudget({ steps });
  }

  /** True when the budget is spent: no further URL is allowed. */
  get isSpent(): boolean {
    return this.#budget.isSpent;
  }

  allows(url: string): boolean {
    return this.#rules.allows(url, this.#budget.within({ steps: MAX_STEPS_PER_URL }));
  }

  /** Reports, once for every 200,000 steps, that other requests are to get their turn. */
  isTurnDue(): boolean {
    if (this.#budget.steps < this.#nextTurn) return false;
    this.#nextTurn = this.#budget.steps + STEPS_A_TURN;
    return true;
  }
}

/** Reports whether a rule decides where another one matches, too. */
function outweighs({ allow, pattern }: RobotsRule, other: RobotsRule): boolean {
  if (pattern.length !== other.pattern.length) return pattern.length > other.pattern.length;
  return allow && !other.allow;
}

function toStartRules(rules: readonly RobotsRule[]): StartRule[] {
  const sorted = rules.toSorted((one, other) => (one.pattern < other.pattern ? -1 : 1));
  const open: StartRule[] = [];
  return sorted.map((rule) => {
    while (open.length > 0 && !rule.pattern.startsWith(open.at(-1)?.pattern ?? "")) open.pop();
    const start = { ...rule, shorter: open.at(-1) };
    open.push(start);
    return start;
  });
}

function toStarRule(rule: RobotsRule): StarRule {
  const { pattern } = rule;
  const hasEnd = pattern.endsWith("$");
  const body = hasEnd ? pattern.slice(0, -1) : pattern;
  return {
    ...rule,
    first: body.slice(0, body.indexOf("*")),
    last: hasEnd ? body.slice(body.lastIndexOf("*") + 1) : "",
    least: body.replaceAll("*", "").length,
    charsPerStep: hasLongPiece(body) ? SEARCHED_CHARS_PER_STEP : CHARS_PER_STEP,
  };
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
