import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { defineFormat } from "../format.ts";

/** Audio of a page of a known platform. This service fetches no audio and fails with SCRAPE_AUDIO_UNSUPPORTED_URL. */
export const audio = defineFormat({
  type: "audio",
  request: z.strictObject({
    type: z
      .literal("audio")
      .describe("Requests the audio of the page. It is not supported and fails with SCRAPE_AUDIO_UNSUPPORTED_URL."),
  }),
  needs: [],
  credits: 4,
  derive: ({ loaded }) => {
    throw new AppError(
      "SCRAPE_AUDIO_UNSUPPORTED_URL",
      `This service cannot get audio from ${new URL(loaded.url).host}`,
    );
  },
});
