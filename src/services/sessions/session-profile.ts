import { EMPTY_PROFILE } from "../../core/sessions/profile.ts";
import { AppError } from "../../core/errors.ts";
import type { SessionLife, SessionPlan } from "../../core/sessions/browser-session.ts";
import { uuidTimeMs } from "../../core/text/uuid-time.ts";
import type { OpenOutcome, SessionView } from "../../ports/sessions/browser-session.ts";
import type { ProfileName, ProfileStore } from "../../ports/sessions/profiles.ts";
import type { Deps } from "../deps.ts";

export type ProfileDeps = Pick<Deps, "browserSessions" | "profiles" | "profileBrowser" | "clock" | "log">;

/** Time after a session's latest end within which the end is settled. */
const CLAIM_GRACE_MS = 60_000;
/** Time in which a session whose profile is claimed is opened; until then nothing else is known of it. */
const OPENING_MS = 120_000;

type Claimant = Pick<SessionPlan, "id" | "teamId" | "ttlMs" | "profile">;

/**
 * Claims write access to the profile for a session that is to save it. A session that has ended without saving loses
 * its claim.
 * @throws AppError PROFILES_NOT_CONFIGURED, PROFILE_LOCKED
 */
export async function claimProfile(deps: ProfileDeps, claimant: Claimant): Promise<void> {
  const { id, teamId, ttlMs, profile } = claimant;
  if (profile === undefined) return;
  const profiles = profilesOf(deps);
  if (!profile.saveChanges) return;
  const name = { teamId, name: profile.name };
  const nowMs = deps.clock.now();
  const claim = { sessionId: id, nowMs, untilMs: nowMs + ttlMs + CLAIM_GRACE_MS };
  const refusal = await profiles.claim(name, claim);
  if (refusal === undefined) return;
  const holder = await deps.browserSessions?.find(refusal.heldBy);
  const isOpening = holder === undefined && nowMs - (uuidTimeMs(refusal.heldBy) ?? -Infinity) < OPENING_MS;
  if (isOpening || (holder !== undefined && holder.life.end === undefined)) throw new AppError("PROFILE_LOCKED");
  await profiles.release(name, refusal.heldBy);
  if ((await profiles.claim(name, claim)) !== undefined) throw new AppError("PROFILE_LOCKED");
}

/** Releases the write access. */
export async function releaseProfile({ profiles }: ProfileDeps, { id, teamId, profile }: Claimant): Promise<void> {
  if (profile?.saveChanges === true) await profiles?.release({ teamId, name: profile.name }, id);
}

/**
 * Restores the profile in a new session's browser, unless it replays a scrape, whose page needs the profile first; a profile that was never saved changes nothing.
 * @returns a warning about storage that was not restored
 * @throws AppError PROFILE_UNREADABLE
 */
export async function restoreProfile(
  deps: ProfileDeps,
  { view: { life, tokens }, unwritten = [] }: Extract<OpenOutcome, { kind: "opened" }>,
): Promise<string | undefined> {
  if (life.replay !== undefined) return notRestored(unwritten);
  const name = nameOf(life);
  if (name === undefined || tokens === undefined) return undefined;
  const state = await profilesOf(deps).read(name);
  const browserId = await browserOf(deps, life.id, tokens.cdp);
  if (state === undefined || browserId === undefined) return undefined;
  return notRestored((await deps.profileBrowser?.restore(browserId, state)) ?? []);
}

function notRestored(origins: readonly string[]): string | undefined {
  return warningAbout(origins, "was not restored, as it took too long or was refused");
}

/**
 * Saves the profile of a session that its holder is about to end (api-contract.md, “Session life”), and releases it.
 * @returns a warning about what was not saved
 */
export async function saveProfile(deps: ProfileDeps, { life, tokens }: SessionView): Promise<string | undefined> {
  const name = nameOf(life);
  if (name === undefined || life.profile?.saveChanges !== true || tokens === undefined) return undefined;
  try {
    return await writeState(deps, { name, life, token: tokens.cdp });
  } finally {
    // The profile is free again when its claim lapses; a failure says nothing about what was saved.
    await releaseProfile(deps, life).catch((error: unknown) =>
      deps.log({ event: "profile_not_released", reason: String(error) }),
    );
  }
}

async function writeState(
  deps: ProfileDeps,
  { name, life, token }: { name: ProfileName; life: SessionLife; token: string },
): Promise<string | undefined> {
  const profiles = profilesOf(deps);
  const browserId = await browserOf(deps, life.id, token);
  if (browserId === undefined || deps.profileBrowser === undefined)
    return "The profile was not saved: the browser has ended.";
  const before = (await profiles.read(name)) ?? EMPTY_PROFILE;
  const visits = (await deps.browserSessions?.visits(life.id)) ?? { origins: [], firstTabId: undefined };
  const { state, unread, partial } = await deps.profileBrowser.capture(browserId, visits, before);
  const isWritten = await profiles.write(name, { sessionId: life.id, state, nowMs: deps.clock.now() });
  const warnings = [
    warningAbout(unread, "could not be read in time, and stays as it was before"),
    warningAbout(partial, "is saved without the records of databases that are beyond 20 MB or cannot be stored"),
  ].filter((warning) => warning !== undefined);
  if (isWritten) return warnings.length === 0 ? undefined : warnings.join(" ");
  deps.log({ event: "profile_not_written", reason: "another session writes it" });
  return "The profile was not saved: another session writes it.";
}

function warningAbout(origins: readonly string[], what: string): string | undefined {
  const [first] = origins;
  if (first === undefined) return undefined;
  const others = origins.length > 1 ? ` and of ${origins.length - 1} more` : "";
  return `The profile's storage of ${first}${others} ${what}.`;
}

async function browserOf({ browserSessions }: ProfileDeps, id: string, token: string): Promise<string | undefined> {
  const access = await browserSessions?.authorize(id, token, "cdp");
  return access?.kind === "granted" ? access.browserSessionId : undefined;
}

function nameOf({ teamId, profile }: SessionLife): ProfileName | undefined {
  return profile === undefined ? undefined : { teamId, name: profile.name };
}

/** @throws AppError PROFILES_NOT_CONFIGURED */
function profilesOf({ profiles }: ProfileDeps): ProfileStore {
  if (profiles === undefined) throw new AppError("PROFILES_NOT_CONFIGURED");
  return profiles;
}
