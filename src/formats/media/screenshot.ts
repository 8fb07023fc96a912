import { z } from "zod";
import { ScreenshotOptions } from "../../core/scrape/actions.ts";
import { AppError } from "../../core/errors.ts";
import { READ_AS_FILE } from "../../core/scrape/page.ts";
import { defineFormat } from "../format.ts";

/** Returns the URL of a screenshot. Unknown keys are dropped, since clients send some. */
export const screenshot = defineFormat({
  type: "screenshot",
  request: ScreenshotOptions.extend({
    type: z
      .literal("screenshot")
      .describe("Takes a screenshot and returns its URL in `screenshot`. It needs a browser."),
  }),
  needs: ["screenshot"],
  credits: 0,
  async derive(page, _request, { publish }) {
    const picture = page.loaded.screenshot;
    if (picture === undefined && page.loaded.warnings.includes(READ_AS_FILE)) return {};
    if (picture === undefined) throw new AppError("SCRAPE_ALL_ENGINES_FAILED", "The browser brought no screenshot");
    return { screenshot: await publish(picture) };
  },
});
