import type { EgressFailure } from "../../core/egress-failure.ts";

const MAX_KEPT = 500;

/**
 * Why tunnels were not opened, by `host:port`: a browser does not hand on what a proxy says about one, and so the service
 * asks the proxy itself. The oldest are forgotten first.
 */
export class TunnelFailures {
  readonly #failures = new Map<string, EgressFailure>();

  note(authority: string, failure: EgressFailure): void {
    this.forget(authority);
    this.#failures.set(authority.toLowerCase(), failure);
    const [oldest = ""] = this.#failures.keys();
    if (this.#failures.size > MAX_KEPT) this.#failures.delete(oldest);
  }

  forget(authority: string): void {
    this.#failures.delete(authority.toLowerCase());
  }

  of(authority: string): EgressFailure | undefined {
    return this.#failures.get(authority.toLowerCase().replace(/^([^[]*:.*):(\d+)$/, "[$1]:$2"));
  }
}
