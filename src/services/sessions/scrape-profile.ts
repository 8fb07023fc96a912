import { AppError } from "../../core/errors.ts";
import type { ProfileState } from "../../core/sessions/profile.ts";
import { profileFit } from "../../core/sessions/profile-cookies.ts";
import type { ProfileName, ProfileStore } from "../../ports/sessions/profiles.ts";
import type { Deps } from "../deps.ts";

/** A saved profile that page loads use and do not change. */
export interface ProfileOption {
  name: string;
}

type ReadDeps = Pick<Deps, "profiles">;

/**
 * Reads a saved profile.
 * @throws AppError PROFILES_NOT_CONFIGURED, PROFILE_NOT_FOUND for a profile that was never saved, PROFILE_UNREADABLE.
 */
export async function readProfile({ profiles }: ReadDeps, profile: ProfileName): Promise<ProfileState> {
  if (profiles === undefined) throw new AppError("PROFILES_NOT_CONFIGURED");
  const state = await profiles.read(profile);
  if (state !== undefined) return state;
  throw new AppError("PROFILE_NOT_FOUND", `There is no saved profile with the name ${profile.name}`);
}

/** Checks the profile of a job before the job starts. @throws AppError as `readProfile` does */
export async function assertProfile(
  deps: ReadDeps,
  teamId: string,
  profile: ProfileOption | null | false | undefined,
): Promise<void> {
  if (profile) await readProfile(deps, { teamId, name: profile.name });
}

/** The state of a profile for one page, and a warning where it has no effect or only a part of it is used. */
export interface PageProfile {
  state: ProfileState;
  warning: string | undefined;
}

/**
 * Returns the profile for the load of one page.
 * @throws AppError as `readProfile` does, and PROFILE_EXPIRED when all cookies that it has for the page's host have
 * expired.
 */
export async function profileForPage(
  deps: ReadDeps & Pick<Deps, "clock">,
  profile: ProfileName,
  url: string,
): Promise<PageProfile> {
  const state = await readProfile(deps, profile);
  const fit = profileFit(state, url, deps.clock.now());
  const { host, origin } = new URL(url);
  if (fit === "expired") {
    throw new AppError("PROFILE_EXPIRED", `All cookies that the profile ${profile.name} has for ${host} have expired`);
  }
  if (fit === "foreign") {
    return { state, warning: `profile: it has no cookies and no storage for ${host}, which received none.` };
  }
  const hasDatabases = state.origins.some((each) => each.origin === origin && each.databases.length > 0);
  const warning = hasDatabases
    ? "profile: its cookies, localStorage and sessionStorage were used; IndexedDB databases are restored in browser sessions only."
    : undefined;
  return { state, warning };
}

/** Returns a store that reads and decrypts each profile once: all pages of a worker run have the same state. */
export function profilesReadOnce(profiles: ProfileStore | undefined): ProfileStore | undefined {
  if (profiles === undefined) return undefined;
  const known = new Map<string, Promise<ProfileState | undefined>>();
  return {
    ...profiles,
    read(profile) {
      const key = JSON.stringify([profile.teamId, profile.name]);
      const found = known.get(key) ?? profiles.read(profile);
      known.set(key, found);
      // A failed read is repeated by the next page.
      found.catch(() => known.delete(key));
      return found;
    },
  };
}
