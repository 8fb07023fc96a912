import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../core/errors.ts";
import { createRoute } from "../account/key-scope.ts";
import type { AppEnv } from "../context.ts";
import { publicOrigin } from "../public-origin.ts";
import { failures } from "../route.ts";

const Directory = z
  .object({
    keys: z
      .array(
        z.object({
          kty: z.literal("OKP").describe("Key type (RFC 8037)."),
          crv: z.literal("Ed25519").describe("Curve of the key."),
          x: z.string().describe("Public key, 32 bytes in base64url."),
          kid: z.string().describe("Id of the key in signatures: its thumbprint (RFC 7638)."),
          use: z.literal("sig").describe("The key verifies signatures."),
        }),
      )
      .describe("Keys whose signatures are valid. The first signs requests now."),
  })
  .openapi("KeyDirectory", {
    example: {
      keys: [
        {
          kty: "OKP",
          crv: "Ed25519",
          x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
          kid: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
          use: "sig",
        },
      ],
    },
  });

const route = createRoute({
  method: "get",
  path: "/.well-known/http-message-signatures-directory",
  "x-key-scope": "public",
  tags: ["Service"],
  summary: "Get the keys that sign requests to sites",
  description:
    "Public keys of this deployment for Web Bot Auth. Sites verify with them that a request comes from it. The response is signed by each key.",
  responses: {
    200: {
      description: "The directory of keys",
      content: { "application/http-message-signatures-directory+json": { schema: Directory } },
    },
    ...failures("NOT_FOUND"),
  },
});

export const keyDirectory = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    const { pathname } = new URL(c.req.url);
    const directory = await c.var.deps.keyDirectory.directory(new URL(pathname, publicOrigin(c.req.raw)).href);
    if (directory === undefined) {
      throw new AppError("NOT_FOUND", "This deployment does not sign its requests: BOT_AUTH_KEY is not set");
    }
    return c.json(directory.body, 200, directory.headers);
  },
});
