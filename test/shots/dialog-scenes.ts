import type { Page } from "playwright-core";
import type { Shot } from "./scenes.ts";

const WAIT_MS = 15_000;
/** Views whose state is shown while the service does not answer. */
const VIEWS = ["playground", "jobs", "monitors", "sessions", "search", "webhooks", "usage", "keys", "connect", "start"];

/** Dialogs of the views. */
export function dialogScenes(): Shot[] {
  return [
    {
      name: "dialog-delivery",
      url: "/#/webhooks",
      prepare: (page) => press(page, /crawl\.page/),
    },
    {
      name: "dialog-revoke-key",
      url: "/#/keys",
      prepare: (page) => press(page, /^revoke/i),
    },
    {
      name: "dialog-key-created",
      url: "/#/keys",
      prepare: async (page) => {
        await press(page, /create key/i);
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel(/name/i).first().fill("Nightly crawls");
        await dialog.getByRole("button", { name: /create/i }).click();
        await page.getByRole("dialog", { name: /key created/i }).waitFor({ timeout: WAIT_MS });
      },
    },
    {
      name: "dialog-stored-page",
      url: "/#/search",
      prepare: async (page) => {
        await page.getByRole("searchbox").first().fill("seagrass");
        await page.keyboard.press("Enter");
        await page.locator(".result").first().waitFor({ timeout: WAIT_MS });
        await page.locator(".result button").first().click();
        await page.getByRole("dialog").waitFor({ timeout: WAIT_MS });
      },
    },
    {
      name: "dialog-save-preset",
      url: "/#/playground",
      prepare: (page) => press(page, /^save preset$/i),
    },
    {
      name: "dialog-noise-rules",
      url: "/#/monitors",
      prepare: async (page) => {
        await openMonitor(page);
        await press(page, /noise rules/i);
      },
    },
    {
      name: "dialog-delete-monitor",
      url: "/#/monitors",
      prepare: async (page) => {
        await openMonitor(page);
        await press(page, /^delete/i);
      },
    },
    {
      name: "dialog-more-views",
      url: "/#/jobs",
      prepare: async (page) => {
        await page.setViewportSize({ width: 390, height: 844 });
        await press(page, /^more$/i);
      },
    },
  ];
}

/** Each view while the service answers 503, and while it cannot be reached. */
export function failureScenes(): Shot[] {
  return VIEWS.flatMap((view) => [
    failure(`down-${view}`, view, async (page) => {
      await page.route(/\/v\d\/|\/openapi\.json/, (route) =>
        route.fulfill({
          status: 503,
          json: {
            success: false,
            code: "STORAGE_UNAVAILABLE",
            error: "The database is not available. Try again in a minute.",
          },
        }),
      );
    }),
    failure(`offline-${view}`, view, async (page) => {
      await page.route(/\/v\d\/|\/openapi\.json/, (route) => route.abort("connectionrefused"));
    }),
  ]);
}

function failure(name: string, view: string, breakService: (page: Page) => Promise<void>): Shot {
  return {
    name,
    url: `/#/${view}`,
    prepare: async (page) => {
      await breakService(page);
      await page.reload();
    },
    restore: (page) => page.unrouteAll({ behavior: "ignoreErrors" }),
  };
}

async function openMonitor(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Fish prices" }).first().click();
  await page.getByRole("heading", { name: "Fish prices" }).waitFor({ timeout: WAIT_MS });
}

async function press(page: Page, name: RegExp): Promise<void> {
  await page.getByRole("button", { name }).first().click({ timeout: WAIT_MS });
}
