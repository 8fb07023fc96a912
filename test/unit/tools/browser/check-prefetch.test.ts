import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browserLauncher } from "../../../../src/tools/browser/browser-launcher.ts";
import { prefetchesPages } from "../../../../src/tools/browser/check-prefetch.ts";

const SHELL = "/usr/lib/chromium/chromium-headless-shell";

test.runIf(existsSync(SHELL))(
  "a headless shell prefetches what a page lets it, and not with the launcher's flags",
  async () => {
    expect(await prefetchesPages(SHELL)).toBe(true);
    const folder = mkdtempSync(join(tmpdir(), "prefetch-"));
    try {
      const launcher = join(folder, "launcher");
      writeFileSync(launcher, browserLauncher(SHELL, false), { mode: 0o755 });
      expect(await prefetchesPages(launcher)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  },
);

test("a program that loads no page is not taken for a browser", async () => {
  await expect(prefetchesPages("true")).rejects.toThrow("did not load a page");
});
