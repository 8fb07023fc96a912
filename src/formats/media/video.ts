import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { defineFormat } from "../format.ts";

/** Video of a page of a known platform. This service fetches no video and fails with SCRAPE_VIDEO_UNSUPPORTED_URL. */
export const video = defineFormat({
  type: "video",
  request: z.strictObject({
    type: z
      .literal("video")
      .describe("Requests the video of the page. It is not supported and fails with SCRAPE_VIDEO_UNSUPPORTED_URL."),
  }),
  needs: [],
  credits: 4,
  derive: ({ loaded }) => {
    throw new AppError(
      "SCRAPE_VIDEO_UNSUPPORTED_URL",
      `This service cannot get video from ${new URL(loaded.url).host}`,
    );
  },
});
