import type { Discoveries } from "../jobs/kind.ts";
import type { HostFacts } from "./host-facts.ts";
import type { TurnContext } from "./turn-context.ts";

/** Finds what a job begins with beside its first page. Done twice it finds the same, which changes nothing. */
export async function sowSeed(
  { kind, specification }: TurnContext,
  hosts: HostFacts,
  _hand: (discoveries: Discoveries) => Promise<void>,
): Promise<void> {
  const seed = kind.seed?.(specification.input);
  if (seed === undefined) return;
  if (kind.robotsAgent(specification.input) !== undefined) await hosts.robotsOf(seed.startUrl);
}
