import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../../core/errors.ts";
import { findRecording, playlistOf } from "../../../services/sessions/read-recording.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { publicOrigin } from "../../public-origin.ts";
import { admit } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json } from "../../route.ts";
import { EXAMPLE_ID, EXAMPLE_ORIGIN, EXAMPLE_TOKEN } from "../../docs/examples.ts";

const TAGS = ["Browser sessions"];

const Replay = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    pages: z
      .array(
        z.object({
          pageId: z.string().describe("Number of the page within the recording."),
          url: z.string().openapi({ description: "Path of the HLS playlist of the page." }),
          pageUrl: z.string().describe("URL of the page."),
          title: z.string().describe("Title of the page."),
          startTimeMs: z
            .number()
            .openapi({ description: "Start of the page in milliseconds since the start of the recording." }),
          endTimeMs: z.number().describe("End of the page in milliseconds since the start of the recording."),
        }),
      )
      .describe("Recorded pages in order."),
    pageCount: z.number().describe("Number of recorded pages."),
    isRecording: z.boolean().openapi({ description: "Whether the session is still being recorded." }),
    isTruncated: z.boolean().openapi({ description: "Whether parts were left out because of limits." }),
    playerUrl: z
      .string()
      .openapi({ description: "URL of a page that plays the recording. It contains its own token." }),
    networkUrl: z
      .string()
      .openapi({ description: "URL of the network log as an HTTP Archive (HAR). It contains its own token." }),
  })
  .openapi("BrowserReplay", {
    example: {
      success: true,
      pages: [
        {
          pageId: "0",
          url: `/v2/interact/${EXAMPLE_ID}/replay/0`,
          pageUrl: "https://example.com/",
          title: "Example Domain",
          startTimeMs: 800,
          endTimeMs: 40_100,
        },
      ],
      pageCount: 1,
      isRecording: false,
      isTruncated: false,
      playerUrl: `${EXAMPLE_ORIGIN}/replay/${EXAMPLE_ID}?token=${EXAMPLE_TOKEN}`,
      networkUrl: `${EXAMPLE_ORIGIN}/replay/${EXAMPLE_ID}/network.har?token=${EXAMPLE_TOKEN}`,
    },
  });

const replayRoute = createRoute({
  method: "get",
  path: "/v2/browser/{id}/replay",
  "x-key-scope": "browser",
  tags: TAGS,
  summary: "Get the recording of a browser session",
  security: BEARER,
  request: { params: IdParam },
  responses: { 200: json(Replay, "The recording"), ...failures("RECORDING_NOT_FOUND", ...COMMON_FAILURES) },
});
export const browserReplay = defineOpenAPIRoute<typeof replayRoute, AppEnv>({
  route: replayRoute,
  handler: (c) => handleReplay(c, c.req.valid("param").id),
});
const interactReplayRoute = createRoute({ ...replayRoute, path: "/v2/interact/{id}/replay" });
export const interactReplay = defineOpenAPIRoute<typeof interactReplayRoute, AppEnv>({
  route: interactReplayRoute,
  handler: (c) => handleReplay(c, c.req.valid("param").id),
});

async function handleReplay(c: Context<AppEnv>, id: string) {
  await admit(c, { mode: "browser", credits: 0 });
  const { manifest } = await findRecording(c.var.deps, c.var.caller, id);
  const { startedMs, endedMs, playToken, isCut } = manifest;
  const pages = manifest.pages.map((page, place) => ({
    pageId: String(place),
    url: `/v2/interact/${id}/replay/${place}`,
    pageUrl: page.url,
    title: page.title,
    startTimeMs: page.startMs - startedMs,
    endTimeMs: page.endMs - startedMs,
  }));
  const player = `${publicOrigin(c.req.raw)}/replay/${id}`;
  const facts = { pages, pageCount: pages.length, isRecording: endedMs === undefined, isTruncated: isCut };
  const addresses = {
    playerUrl: `${player}?token=${playToken}`,
    networkUrl: `${player}/network.har?token=${playToken}`,
  };
  return c.json({ success: true as const, ...facts, ...addresses }, 200);
}

const Playlist = z.string().openapi({
  example: [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    "#EXT-X-TARGETDURATION:4",
    `#EXT-X-MAP:URI="/replay/${EXAMPLE_ID}/film/0/init.mp4?token=${EXAMPLE_TOKEN}"`,
    "#EXTINF:4.000,",
    `/replay/${EXAMPLE_ID}/film/0/0.m4s?token=${EXAMPLE_TOKEN}`,
    "#EXT-X-ENDLIST",
    "",
  ].join("\n"),
});

const playlistRoute = createRoute({
  method: "get",
  path: "/v2/browser/{id}/replay/{pageId}",
  "x-key-scope": "browser",
  tags: TAGS,
  summary: "Get the HLS playlist of a recorded page",
  security: BEARER,
  request: {
    params: IdParam.extend({
      pageId: z.string().openapi({
        description: "Number of the page within the recording, from `pages`.",
        param: { name: "pageId", in: "path" },
      }),
    }),
  },
  responses: {
    200: {
      description: "Playlist of Motion JPEG in fragmented MP4. The segments need no key.",
      content: { "application/vnd.apple.mpegurl": { schema: Playlist } },
    },
    ...failures("BAD_REQUEST", "RECORDING_NOT_FOUND", ...COMMON_FAILURES),
  },
});
export const browserPlaylist = defineOpenAPIRoute<typeof playlistRoute, AppEnv>({
  route: playlistRoute,
  handler: (c) => handlePlaylist(c, c.req.valid("param")),
});
const interactPlaylistRoute = createRoute({ ...playlistRoute, path: "/v2/interact/{id}/replay/{pageId}" });
export const interactPlaylist = defineOpenAPIRoute<typeof interactPlaylistRoute, AppEnv>({
  route: interactPlaylistRoute,
  handler: (c) => handlePlaylist(c, c.req.valid("param")),
});

async function handlePlaylist(c: Context<AppEnv>, { id, pageId }: { id: string; pageId: string }) {
  if (!/^\d{1,3}$/.test(pageId)) throw new AppError("BAD_REQUEST", "Invalid pageId.");
  await admit(c, { mode: "browser", credits: 0 });
  const { manifest } = await findRecording(c.var.deps, c.var.caller, id);
  const page = manifest.pages[Number(pageId)];
  if (page === undefined) throw new AppError("RECORDING_NOT_FOUND", "The recording has no such page");
  const base = `${publicOrigin(c.req.raw)}/replay/${id}/film/${Number(pageId)}`;
  const query = `?token=${manifest.playToken}`;
  const text = playlistOf(page, { base, query, isOver: manifest.endedMs !== undefined });
  return c.body(text, 200, { "Content-Type": "application/vnd.apple.mpegurl", "Cache-Control": "no-store" });
}
