import type { ProfileState } from "../../core/sessions/profile.ts";
import type { Visits } from "./browser-session.ts";

/** One profile, by its team and the name that the team gave it. */
export interface ProfileName {
  teamId: string;
  name: string;
}

/** Profiles at rest: encrypted, and written by one session at a time. */
export interface ProfileStore {
  /**
   * Takes the right to write for a session, until a moment or until it is given back.
   * @returns the session that has it instead
   */
  claim(
    profile: ProfileName,
    claim: { sessionId: string; untilMs: number; nowMs: number },
  ): Promise<{ heldBy: string } | undefined>;
  release(profile: ProfileName, sessionId: string): Promise<void>;
  /** Undefined for one that was never saved. @throws AppError PROFILE_UNREADABLE when the key is another one */
  read(profile: ProfileName): Promise<ProfileState | undefined>;
  /** @returns false when the session has no right to write any more; then nothing is written. */
  write(profile: ProfileName, saved: { sessionId: string; state: ProfileState; nowMs: number }): Promise<boolean>;
}

/** The state of a session's browser. */
export interface ProfileBrowser {
  /**
   * Reads what the browser keeps for its sites; its first tab goes elsewhere for that.
   * @param before what the profile had; an origin that cannot be read keeps it.
   */
  capture(browserId: string, visits: Visits, before: ProfileState): Promise<ProfileState>;
  /** An origin that cannot be written is left out and logged. */
  restore(browserId: string, state: ProfileState): Promise<void>;
}
