import { currentInvocation } from "./invocation.ts";

/** Why the edge cannot reach a site, as the status of its response. */
const FAULTS = { reset: 520, refused: 521, timeout: 522, unreachable: 523, handshake: 525, certificate: 526 } as const;

export type Fault = keyof typeof FAULTS;
type Site = Fault | ((request: Request) => Response | Promise<Response>);

/**
 * Returns a `fetch` as Workers have on the platform: the edge makes a response for every site that it cannot reach, and
 * for addresses without a host name, instead of throwing. DNS over HTTPS knows every name.
 */
export function edgeFetch(sites: Readonly<Record<string, Site>>): typeof fetch {
  return async (input, init) => {
    const answer = (): Promise<Response> => answerOf(input, init);
    return await (currentInvocation()?.connect(answer) ?? answer());
  };

  async function answerOf(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input as RequestInfo, init);
    const { hostname, pathname } = new URL(request.url);
    if (pathname === "/dns-query")
      return Response.json({ Status: 0, Answer: [{ type: 1, TTL: 60, data: "93.184.215.14" }] });
    if (/^[\d.]+$|^\[/.test(hostname)) return edgeError(403, 1003);
    const site = sites[hostname];
    if (site === undefined) return edgeError(530, 1016);
    return typeof site === "function" ? await site(request) : edgeError(FAULTS[site]);
  }
}

/** The response that the edge makes, as a Worker's `fetch` receives it. */
export function edgeError(status: number, number: number = status): Response {
  const headers = {
    server: "cloudflare",
    "cf-ray": "8f0000000000abcd-FRA",
    "content-type": "text/plain; charset=UTF-8",
  };
  return new Response(`error code: ${number}`, { status, headers });
}
