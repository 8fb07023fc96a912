import { toDuration } from "./format.ts";

/** One try of an engine to load a page (`metadata.attempts` of a document). */
export interface Attempt {
  engine: string;
  outcome: string;
  reason?: string;
  /** Egress route, with the number of its proxy where it has several: `office#2`. */
  proxy?: string;
  ms: number;
}

/** The engines that tried to load a page, in order, with the egress route of each. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <ol class="attempts">
      {attempts.map(({ engine, outcome, reason, proxy, ms }, at) => (
        <li key={at}>
          <strong>{engine}</strong> {outcome}
          {reason !== undefined && `: ${reason}`}
          {proxy !== undefined && (
            <>
              {" "}
              through <code>{proxy}</code>
            </>
          )}{" "}
          <span class="faint">{toDuration(ms)}</span>
        </li>
      ))}
    </ol>
  );
}
