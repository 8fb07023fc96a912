import { expect } from "vitest";
import { call, fresh, sitePage } from "../../client.ts";
import type { Task } from "./task.ts";
import type { User } from "./user.ts";

async function openMonitor(user: User, name: string): Promise<void> {
  await user.open("Monitors", "g m");
  await user.press("link", name, user.page.getByRole("main"));
  await user.seesA("heading", name);
}

async function check(user: User, checks: number): Promise<void> {
  await user.press("button", "Check now");
  const ended = user.page.getByRole("navigation", { name: "Checks" }).getByRole("link");
  await expect.poll(() => ended.count()).toBe(checks);
  await user.page.getByRole("button", { name: "Check now" }).and(user.page.locator(":enabled")).waitFor();
}

/** Monitors and webhooks. */
export const WATCH_TASKS: readonly Task[] = [
  {
    says: "Watch this page and see what changed",
    clicks: 7,
    keys: 6,
    async walk(user) {
      const name = `Prices ${crypto.randomUUID().slice(0, 8)}`;
      await user.open("Monitors", "g m");
      await user.press("link", "Create monitor");
      await user.type("URLs", sitePage(fresh("/changing")));
      await user.type("Name", name);
      await user.press("button", "Create monitor");
      await user.seesA("heading", name);
      await check(user, 1);
      await check(user, 2);
      const changes = await user.seesA("region", "Differences of the text");
      await changes.locator("ins").first().waitFor();
    },
  },
  {
    says: "See what the last check of a monitor found, line by line",
    clicks: 3,
    keys: 4,
    async walk(user, { monitor }) {
      await openMonitor(user, monitor.name);
      await user.press("button", "Inline");
      const changes = await user.seesA("region", "Differences of the text");
      await changes.locator("del").first().waitFor();
    },
  },
  {
    says: "Pause a monitor and let it go on later",
    clicks: 4,
    keys: 5,
    async walk(user, { monitor }) {
      await openMonitor(user, monitor.name);
      await user.press("button", "Pause");
      await user.sees("Paused");
      await user.press("button", "Resume");
      await user.sees("Active");
    },
  },
  {
    says: "Ignore a part of the page that changes all the time",
    clicks: 5,
    keys: 5,
    async walk(user, { monitor }) {
      await openMonitor(user, monitor.name);
      await user.press("button", "Noise rules");
      const dialog = user.page.getByRole("dialog", { name: "Noise rules" });
      await user.type("Ignore these parts", ".price", dialog);
      await user.press("button", "Save rules", dialog);
      await dialog.waitFor({ state: "hidden" });
      const { text } = await call(`/v2/monitor/${monitor.id}`);
      expect(text).toContain('"excludeTags":[".price"]');
    },
  },
  {
    says: "Send the changes of a page to my endpoint",
    clicks: 6,
    keys: 4,
    async walk(user, { hookUrl }) {
      const name = `Told ${crypto.randomUUID().slice(0, 8)}`;
      await user.command("create monitor", "Create monitor");
      await user.type("Name", name);
      await user.press("summary", "Alerts and goal");
      await user.type("Webhook URL", hookUrl);
      await user.press("button", "Create monitor");
      await user.sees(hookUrl, await user.seesA("region", "Settings"));
    },
  },
  {
    says: "Replay a failed webhook delivery",
    clicks: 4,
    keys: 5,
    async walk(user, { hookUrl }) {
      await user.open("Webhooks", "g w");
      await user.press("button", "Failed");
      await user.press(
        "button",
        new RegExp(`^webhook\\.test ${hookUrl} Failed, 503, attempt 1, \\d\\d:\\d\\d:\\d\\d$`),
      );
      const delivery = user.page.getByRole("dialog", { name: "Delivery" });
      await user.press("button", "Replay", delivery);
      await user.sees("The event was sent again with the same ID.", delivery);
      await user.sees("Delivered · 200", delivery);
    },
  },
  {
    says: "Check that my endpoint receives signed events",
    clicks: 5,
    keys: 4,
    async walk(user, { hookUrl }) {
      await user.open("Webhooks", "g w");
      await user.press("tab", "Test");
      await user.type("Endpoint URL", hookUrl);
      await user.press("button", "Send test event");
      await user.sees("Delivered · 200");
      await user.type("Webhook secret", "a secret of the end-to-end tests");
      await user.sees("The signature check passes.");
    },
  },
];
