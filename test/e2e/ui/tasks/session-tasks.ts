import { sitePage } from "../../client.ts";
import { expect } from "vitest";
import type { Task } from "./task.ts";

export const SESSION_TASKS: readonly Task[] = [
  {
    says: "Log in to a site and save the login as a profile",
    clicks: 6,
    keys: 5,
    async walk(user) {
      const profile = `harbour-${user.way}`;
      await user.open("Sessions", "g s");
      await user.press("button", "Save a login");
      const dialog = user.page.getByRole("dialog", { name: "Save a login" });
      await user.type("Profile name", profile, dialog);
      await user.type("Login page", sitePage("/app/form"), dialog);
      await user.press("button", "Open login page", dialog);
      await user.page.frameLocator("iframe").locator("#screen:not([hidden])").waitFor();
      await user.press("button", "Save profile and close");
      await user.seesA("heading", `Profile “${profile}” is saved`);
    },
  },
  {
    says: "Open a browser of the size of a phone, and close it",
    clicks: 6,
    keys: 5,
    async walk(user) {
      await user.open("Sessions", "g s");
      await user.press("button", "Create session");
      const dialog = user.page.getByRole("dialog", { name: "Create session" });
      await user.choose("Viewport", "390 × 844, phone", dialog);
      await user.press("button", "Create", dialog);
      await user.sees(/390 × 844/);
      await user.press("button", "Close session");
      await user.sees("Ended");
    },
  },
  {
    says: "Watch again what a session of this morning did",
    clicks: 2,
    keys: 3,
    async walk(user, { endedSession }) {
      await user.open("Sessions", "g s");
      await user.press("link", endedSession);
      const replay = user.page.frameLocator('iframe[title="Session recording"]');
      await replay.locator("#canvas:not([hidden])").waitFor();
    },
  },
  {
    says: "Control a running browser from my own program",
    clicks: 4,
    keys: 5,
    async walk(user, { activeSession }) {
      await user.open("Sessions", "g s");
      await user.press("link", new RegExp(activeSession.name));
      await user.press("tab", "Connect");
      await user.press("button", "Copy URL");
      const url = await user.page.evaluate<string>("navigator.clipboard.readText()");
      expect(url).toContain(`/v2/browser/${activeSession.id}/cdp?token=`);
    },
  },
];
