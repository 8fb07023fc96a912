import { AppError } from "../../core/errors.ts";
import type { ProfileState } from "../../core/sessions/profile.ts";
import { profileFit, profileSites, siteOf } from "../../core/sessions/profile-cookies.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
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

/**
 * Checks the profile of a job before the job starts.
 * @param urls of the request, with or without a scheme. URLs of other sites are loaded without the profile, unless all of them are.
 * @throws AppError as `readProfile` does, and PROFILE_FOREIGN_ORIGIN when the profile has nothing for the site of any URL
 */
export async function assertProfile(
  deps: ReadDeps,
  teamId: string,
  { profile, urls }: { profile: ProfileOption | null | false | undefined; urls: readonly string[] },
): Promise<void> {
  if (!profile) return;
  const state = await readProfile(deps, { teamId, name: profile.name });
  // A batch may have thousands of URLs, and a profile thousands of cookies.
  const sites = profileSites(state);
  const targets = urls.map((url) => new URL(toAbsoluteUrl(url)));
  const [first] = targets;
  if (first === undefined || targets.some((target) => sites.has(siteOf(target)))) return;
  throw foreign(profile.name, targets.length === 1 ? first.origin : "any of the URLs");
}

function foreign(name: string, target: string): AppError {
  return new AppError("PROFILE_FOREIGN_ORIGIN", `The profile ${name} has no cookies and no storage for ${target}`);
}

/** The state of a profile for one page, and a warning where it has no effect or only a part of it is used. */
export interface PageProfile {
  state: ProfileState;
  warning: string | undefined;
}

/**
 * Returns the profile for the load of one page.
 * @param isOneOfMany true for a page of a job or a search, which other sites receive without the profile.
 * @throws AppError as `readProfile` does, PROFILE_EXPIRED when all cookies that it has for the page's host have
 * expired, and PROFILE_FOREIGN_ORIGIN when it has nothing for the page's site, unless the page is one of many.
 */
export async function profileForPage(
  deps: ReadDeps & Pick<Deps, "clock">,
  profile: ProfileName,
  { url, isOneOfMany = false }: { url: string; isOneOfMany?: boolean | undefined },
): Promise<PageProfile> {
  const state = await readProfile(deps, profile);
  const fit = profileFit(state, url, deps.clock.now());
  const { host, origin } = new URL(url);
  if (fit === "expired") {
    throw new AppError("PROFILE_EXPIRED", `All cookies that the profile ${profile.name} has for ${host} have expired`);
  }
  if (fit === "foreign" && !isOneOfMany) throw foreign(profile.name, origin);
  if (fit === "foreign" || fit === "sibling") {
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
