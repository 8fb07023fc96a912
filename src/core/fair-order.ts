import { z } from "zod";

/** Owner of a waiting or running piece of work. Work without an owner counts as one team's. */
export const Owner = z.object({
  teamId: z.string(),
  keyId: z.string(),
});
export type Owner = z.infer<typeof Owner>;

/** Returns the owner of a key's work. */
export function ownerOf({ id, teamId }: { id: string; teamId: string }): Owner {
  return { teamId, keyId: id };
}

interface Owned {
  owner?: Owner | undefined;
}

/** The owner of work that has none. */
export const NOBODY: Owner = { teamId: "", keyId: "" };

/**
 * Returns the index of the waiting owner to serve next: from the team that holds least, and from its key that holds
 * least; among equals the one served longest ago, then the one that has waited longest. So a team with hundreds of
 * waiting requests delays the first request of another team by one at most.
 * @param waiting owners in order of arrival.
 * @param holding owners of the resources in use.
 * @param served owners in the order in which they were last served, latest last.
 * @returns -1 when the queue is empty.
 */
export function nextByFairness(
  waiting: readonly Owned[],
  { holding, served }: { holding: readonly Owned[]; served: readonly Owner[] },
): number {
  const teams = countBy(holding, teamOf);
  const keys = countBy(holding, keyOf);
  const teamServed = lastPlaces(served, ({ teamId }) => teamId);
  const keyServed = lastPlaces(served, nameOf);
  let best = -1;
  let bestRank: readonly number[] = [];
  // Of each key the first waiter: thousands may wait, of a few keys.
  const ranked = new Map<string, Set<string>>();
  for (const [place, waiter] of waiting.entries()) {
    const { teamId, keyId } = waiter.owner ?? NOBODY;
    const keysOfTeam = ranked.get(teamId);
    if (keysOfTeam?.has(keyId) === true) continue;
    if (keysOfTeam === undefined) ranked.set(teamId, new Set([keyId]));
    else keysOfTeam.add(keyId);
    const [team, key] = [teamOf(waiter), keyOf(waiter)];
    const rank = [teams.get(team) ?? 0, teamServed.get(team) ?? -1, keys.get(key) ?? 0, keyServed.get(key) ?? -1];
    if (best >= 0 && !isBefore(rank, bestRank)) continue;
    best = place;
    bestRank = rank;
  }
  return best;
}

/** Reports whether the team of a waiting owner holds nothing. */
export function isFirstOfTeam(waiter: Owned, holding: readonly Owned[]): boolean {
  return holding.every((held) => teamOf(held) !== teamOf(waiter));
}

/** Records that an owner was served. Removes owners that neither wait nor hold anything. */
export function noteServed(served: readonly Owner[], owner: Owner | undefined, present: readonly Owned[]): Owner[] {
  const latest = owner ?? NOBODY;
  const names = new Set(present.map(keyOf));
  return [...served.filter((each) => nameOf(each) !== nameOf(latest) && names.has(nameOf(each))), latest];
}

function isBefore(left: readonly number[], right: readonly number[]): boolean {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
}

function teamOf({ owner = NOBODY }: Owned): string {
  return owner.teamId;
}

function keyOf({ owner = NOBODY }: Owned): string {
  return nameOf(owner);
}

function nameOf({ teamId, keyId }: Owner): string {
  return `${teamId} ${keyId}`;
}

function countBy(items: readonly Owned[], nameOfItem: (item: Owned) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOfItem(item), (counts.get(nameOfItem(item)) ?? 0) + 1);
  return counts;
}

function lastPlaces(served: readonly Owner[], nameOfOwner: (owner: Owner) => string): Map<string, number> {
  return new Map(served.map((owner, place) => [nameOfOwner(owner), place]));
}
