import { createPublicKey, verify as verifyBytes } from "node:crypto";
import { httpbis } from "http-message-signatures";
import type { Exchange, Route } from "../exchange.ts";
import { reply, replyHtml } from "../reply.ts";
import { simplePage } from "../render.ts";

interface Directory {
  keys: { kty: string; crv: string; x: string; kid: string }[];
}

/** Pages behind a network that lets verified robots pass, and refuses all others. */
export const signed: Route[] = [
  {
    path: "/signed-only",
    about: "403 unless the request is signed by a key of the directory ?directory=, as networks verify robots",
    answer: showSigned,
  },
  {
    path: "/signed-only/moved",
    about: "leads to /signed-only, with the same ?directory=",
    answer: ({ response, url }) => void response.writeHead(302, { location: `/signed-only${url.search}` }).end(),
  },
];

async function showSigned(exchange: Exchange): Promise<void> {
  const problem = await problemOf(exchange);
  if (problem !== undefined) return reply(exchange, { status: 403, body: `Robots must sign: ${problem}` });
  const main = "<h1>Tide tables for verified robots</h1><p>High water at Harrow Bay is at ten past six today.</p>";
  replyHtml(exchange, simplePage(exchange, { title: "Verified", main }));
}

/** Says why a signature is not accepted. */
async function problemOf({ request, url }: Exchange): Promise<string | undefined> {
  const address = url.searchParams.get("directory");
  if (address === null) return "no directory is registered";
  const directory = (await (await fetch(address)).json()) as Directory;
  try {
    const isValid = await httpbis.verifyMessage(
      {
        requiredParams: ["created", "expires", "keyid", "tag"],
        requiredFields: ["@authority"],
        keyLookup: async ({ keyid, tag }) => {
          const key = directory.keys.find(({ kid }) => kid === keyid);
          if (key === undefined || tag !== "web-bot-auth") return null;
          const { kty, crv, x } = key;
          const publicKey = createPublicKey({ key: { kty, crv, x }, format: "jwk" });
          return {
            id: key.kid,
            algs: ["ed25519"],
            verify: async (data, signature) => verifyBytes(null, data, publicKey, signature),
          };
        },
      },
      { method: request.method ?? "GET", url, headers: request.headers as Record<string, string> },
    );
    return isValid === true ? undefined : "there is no valid signature";
  } catch (error) {
    return String(error);
  }
}
