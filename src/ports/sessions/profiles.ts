import type { ProfileState } from "../../core/sessions/profile.ts";
import type { Visits } from "./browser-session.ts";

/** Identifies a profile by its team and the name that the team chose. */
export interface ProfileName {
  teamId: string;
  name: string;
}

/** Stored profiles: encrypted, and written by one session at a time. */
export interface ProfileStore {
  /**
   * Claims write access for a session, until `untilMs` or `release`.
   * @returns the session that holds the claim instead
   */
  claim(
    profile: ProfileName,
    claim: { sessionId: string; untilMs: number; nowMs: number },
  ): Promise<{ heldBy: string } | undefined>;
  release(profile: ProfileName, sessionId: string): Promise<void>;
  /** Undefined for a profile that was never saved. @throws AppError PROFILE_UNREADABLE when the key differs */
  read(profile: ProfileName): Promise<ProfileState | undefined>;
  /** @returns false, and writes nothing, when the session no longer holds the claim. */
  write(profile: ProfileName, saved: { sessionId: string; state: ProfileState; nowMs: number }): Promise<boolean>;
  /** Deletes up to `limit` claims that have ended of profiles that were never saved. @returns the number deleted. */
  purge(nowMs: number, limit: number): Promise<number>;
}

/** The state that was read of a browser. */
export interface Captured {
  state: ProfileState;
  /** Origins that could not be read. */
  unread: readonly string[];
  /** Origins of which some records are too many or cannot be stored. */
  partial: readonly string[];
}

/** The state of a session's browser. */
export interface ProfileBrowser {
  /**
   * Reads the cookies and storage of the visited sites; navigates the browser's first tab to do so.
   * @param before the profile's earlier state, which is retained for origins that cannot be read.
   */
  capture(browserId: string, visits: Visits, before: ProfileState): Promise<Captured>;
  /** Writes the state to the browser. @returns the origins that could not be written, or not all of them */
  restore(browserId: string, state: ProfileState): Promise<readonly string[]>;
}
