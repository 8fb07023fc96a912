import { z } from "zod";
import { toBranding } from "../../content/branding/to-branding.ts";
import { AppError } from "../../core/errors.ts";
import { defineFormat } from "../format.ts";

/** Returns the page's visual identity: colours, fonts, spacing, components, logo, as a browser computed them. */
export const branding = defineFormat({
  type: "branding",
  request: z.strictObject({
    type: z
      .literal("branding")
      .describe("Returns colors, fonts, spacing and logo of the page in `branding`. It needs a browser."),
  }),
  needs: ["branding"],
  credits: 0,
  derive(page) {
    const { styles } = page.loaded;
    if (styles === undefined) throw new AppError("SCRAPE_BRANDING_NOT_SUPPORTED");
    return { branding: toBranding(styles) };
  },
});
