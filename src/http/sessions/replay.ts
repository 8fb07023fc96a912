import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import { openRecording, readVideoSegment, readHar } from "../../services/sessions/read-recording.ts";
import type { AppEnv } from "../context.ts";
import { asksForPage } from "../dashboard.ts";
import { createRoute } from "../account/key-scope.ts";
import { replayPage } from "../pages/replay-page.ts";
import { failures, json } from "../route.ts";
import { page, refusalOf, refusedPages, SESSION_TAGS, SessionParam, tokenOf } from "./session-page.ts";

const TokenQuery = z.object({ token: tokenOf("playerUrl") });
/** Parts of recordings never change; their content comes from untrusted pages. */
const PART_HEADERS = { "Cache-Control": "private, max-age=3600", "X-Content-Type-Options": "nosniff" };

const pageRoute = createRoute({
  method: "get",
  path: "/replay/{id}",
  "x-key-scope": "url",
  tags: SESSION_TAGS,
  summary: "Show the player of a recording",
  request: { params: SessionParam, query: TokenQuery },
  responses: {
    200: page("The page"),
    ...refusedPages("RECORDING_NOT_FOUND"),
  },
});
/** The same page for everyone: it loads the recording with the token in its URL. */
const player = defineOpenAPIRoute<typeof pageRoute, AppEnv>({
  route: pageRoute,
  handler: async (c) => {
    const { html, headers } = await replayPage();
    const opening = openRecording(c.var.deps, c.req.valid("param").id, c.req.valid("query").token);
    const opened = await opening.catch(refusalOf);
    if (isAppError(opened) && !asksForPage(c.req.raw)) throw opened;
    return c.body(html, isAppError(opened) ? ERRORS[opened.code].status : 200, headers);
  },
});

const Recorded = z
  .object({
    startedMs: z.number().describe("Start of the recording in milliseconds since the epoch."),
    endedMs: z
      .number()
      .nullable()
      .describe("End of the recording in milliseconds since the epoch, or null while it runs."),
    isTruncated: z.boolean().describe("Whether parts were left out because of limits."),
    requests: z.number().describe("Number of recorded requests."),
    pages: z
      .array(
        z.object({
          url: z.string().describe("URL of the page."),
          title: z.string().describe("Title of the page."),
          width: z.number().describe("Width of the video in pixels."),
          height: z.number().describe("Height of the video in pixels."),
          startMs: z.number().describe("Start of the page in milliseconds since the epoch."),
          endMs: z.number().describe("End of the page in milliseconds since the epoch."),
          titles: z
            .array(
              z.object({
                atMs: z.number().describe("Time from which the document was shown, in milliseconds since the epoch."),
                url: z.string().describe("URL of the document."),
                title: z.string().describe("Title of the document."),
              }),
            )
            .optional()
            .describe("Documents of the page in order. Absent in earlier recordings."),
          segments: z
            .array(
              z.object({
                startMs: z.number().describe("Start of the segment in milliseconds since the epoch."),
                endMs: z.number().describe("End of the segment in milliseconds since the epoch."),
              }),
            )
            .describe("Media segments in order."),
        }),
      )
      .describe("Recorded pages in order."),
  })
  .openapi("Recording", {
    example: {
      startedMs: 1_795_256_100_000,
      endedMs: 1_795_256_140_000,
      isTruncated: false,
      requests: 3,
      pages: [
        {
          url: "https://example.com/",
          title: "Example Domain",
          width: 1280,
          height: 720,
          titles: [{ atMs: 1_795_256_100_800, url: "https://example.com/", title: "Example Domain" }],
          startMs: 1_795_256_100_800,
          endMs: 1_795_256_139_900,
          segments: [{ startMs: 1_795_256_100_800, endMs: 1_795_256_104_800 }],
        },
      ],
    },
  });

const recordingRoute = createRoute({
  method: "get",
  path: "/replay/{id}/recording",
  "x-key-scope": "url",
  tags: SESSION_TAGS,
  summary: "Get the contents of a recording",
  request: { params: SessionParam, query: TokenQuery },
  responses: { 200: json(Recorded, "The recorded pages and their segments"), ...failures("RECORDING_NOT_FOUND") },
});
const recording = defineOpenAPIRoute<typeof recordingRoute, AppEnv>({
  route: recordingRoute,
  handler: async (c) => {
    const { manifest } = await openRecording(c.var.deps, c.req.valid("param").id, c.req.valid("query").token);
    const { startedMs, endedMs = null, isCut, pages, network } = manifest;
    c.header("Cache-Control", "no-store");
    return c.json({ startedMs, endedMs, isTruncated: isCut, requests: network.entries, pages }, 200);
  },
});

const filmRoute = createRoute({
  method: "get",
  path: "/replay/{id}/film/{pageId}/{part}",
  "x-key-scope": "url",
  tags: SESSION_TAGS,
  summary: "Get a media segment of a recording",
  request: {
    params: SessionParam.extend({
      pageId: z
        .string()
        .openapi({ description: "Number of the page within the recording.", param: { name: "pageId", in: "path" } }),
      part: z.string().openapi({
        description: "Name of the media segment, or `init.mp4`.",
        param: { name: "part", in: "path" },
        example: "0.m4s",
      }),
    }),
    query: TokenQuery,
  },
  responses: {
    200: { description: "The part", content: { "video/mp4": { schema: z.string() } } },
    ...failures("BAD_REQUEST", "RECORDING_NOT_FOUND"),
  },
});
const film = defineOpenAPIRoute<typeof filmRoute, AppEnv>({
  route: filmRoute,
  handler: async (c) => {
    const { id, pageId, part } = c.req.valid("param");
    const [, number] = /^(?:(\d{1,6})\.m4s|init\.mp4)$/.exec(part) ?? [undefined, "none"];
    if (!/^\d{1,3}$/.test(pageId) || number === "none") throw new AppError("BAD_REQUEST", "Invalid pageId.");
    const { deps } = c.var;
    const found = await openRecording(deps, id, c.req.valid("query").token);
    const index = number === undefined ? "init" : Number(number);
    const body = await readVideoSegment(deps, found, { pageId: Number(pageId), index });
    if (body === undefined) throw new AppError("RECORDING_NOT_FOUND");
    // A copy, since a buffer that may be shared is not accepted as a body.
    const sent = body instanceof Uint8Array ? new Uint8Array(body) : body;
    return c.body(sent, 200, { ...PART_HEADERS, "Content-Type": "video/mp4" });
  },
});

const Har = z.object({ log: z.unknown().describe("Log in HTTP Archive format 1.2.") }).openapi({
  example: { log: { version: "1.2", creator: { name: "Orbweaver", version: "1.0.0" }, entries: [] } },
});

const harRoute = createRoute({
  method: "get",
  path: "/replay/{id}/network.har",
  "x-key-scope": "url",
  tags: SESSION_TAGS,
  summary: "Get the network log of a recording (HAR 1.2)",
  request: { params: SessionParam, query: TokenQuery },
  responses: {
    200: json(
      Har,
      "The network log, without bodies and cookies, and without headers and parameters of URLs whose names say that they are credentials",
    ),
    ...failures("RECORDING_NOT_FOUND"),
  },
});
const har = defineOpenAPIRoute<typeof harRoute, AppEnv>({
  route: harRoute,
  handler: async (c) => {
    const { deps } = c.var;
    const found = await openRecording(deps, c.req.valid("param").id, c.req.valid("query").token);
    c.header("Cache-Control", "no-store");
    return c.body(readHar(deps, found), 200, { "Content-Type": "application/json" }) as never;
  },
});

/** Recordings, for holders of their URL. */
export const replayRoutes = [player, recording, film, har] as const;
