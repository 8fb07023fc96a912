import { crawlDelaySeconds, rulesFor } from "../../content/crawling/robots.ts";
import { RulesOfRequest } from "../../content/crawling/robots-rules.ts";
import type { Owner } from "../../core/fair-order.ts";
import { robotsOfHost } from "../crawl/robots-of-host.ts";
import type { SampleDeps } from "./sample-page.ts";

/** Hosts whose robots.txt is read; pages of further ones count as allowed. */
const MAX_HOSTS = 20;

/** The part of a robots.txt that applies to the crawl. */
export interface HostRules {
  allows(url: string): boolean;
  /** Reports, from time to time, that other requests are to get their turn. */
  isTurnDue(): boolean;
  /** True when comparing more URLs takes too much work: no further one is allowed. */
  readonly isSpent: boolean;
  delayMs: number;
}

const NO_RULES: HostRules = { allows: () => true, isTurnDue: () => false, isSpent: false, delayMs: 0 };

interface RulesOptions {
  /** Name that the crawl looks for in robots.txt; undefined when it does not follow it. */
  agent: string | undefined;
  deadlineMs: number;
  owner: Owner;
}

/** The rules of the hosts of a sample, each read once. */
export class RulesOfHosts {
  readonly #deps: SampleDeps;
  readonly #options: RulesOptions;
  readonly #asked = new Map<string, Promise<HostRules>>();
  readonly #read = new Map<string, HostRules>();

  constructor(deps: SampleDeps, options: RulesOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Returns the rules for a URL; undefined while they have not been read. */
  known(url: string): HostRules | undefined {
    const { origin } = new URL(url);
    return this.#hasNone(origin) ? NO_RULES : this.#read.get(origin);
  }

  async of(url: string): Promise<HostRules> {
    const { agent, deadlineMs, owner } = this.#options;
    const { origin } = new URL(url);
    const asked = this.#asked.get(origin);
    if (asked !== undefined) return await asked;
    if (agent === undefined || this.#hasNone(origin)) return NO_RULES;
    const asking = robotsOfHost(this.#deps, url, { deadlineMs, owner }).then(({ robots }): HostRules => {
      const rules = new RulesOfRequest(rulesFor(robots, agent));
      return Object.assign(rules, { delayMs: (crawlDelaySeconds(robots, agent) ?? 0) * 1000 });
    });
    this.#asked.set(origin, asking);
    const rules = await asking;
    this.#read.set(origin, rules);
    return rules;
  }

  /** Reports whether no rules are read for a host. */
  #hasNone(origin: string): boolean {
    return this.#options.agent === undefined || (!this.#asked.has(origin) && this.#asked.size >= MAX_HOSTS);
  }
}
