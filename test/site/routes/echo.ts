import type { Exchange, Route } from "../exchange.ts";
import { numberParam, readBody } from "../exchange.ts";
import { escapeHtml, reply, replyHtml, replyJson } from "../reply.ts";
import { renderPage, simplePage } from "../render.ts";

/** Pages that tell what they were asked, and pages that change. */
export const echo: Route[] = [
  {
    path: "/echo",
    about: "method, address, headers and body of the request as a page; as JSON when Accept asks for that alone",
    async answer(exchange) {
      if (exchange.request.headers.accept === "application/json") return replyJson(exchange, await describe(exchange));
      const seen = escapeHtml(JSON.stringify(await describe(exchange), null, 2));
      replyHtml(
        exchange,
        simplePage(exchange, { title: "Echo", main: `<h1>Echo</h1>\n<pre id="request">${seen}</pre>` }),
      );
    },
  },
  {
    path: "/echo.json",
    about: "the same, always JSON",
    answer: async (exchange) => replyJson(exchange, await describe(exchange)),
  },
  {
    path: "/client-info",
    about: "viewport, user agent, languages, time zone as the browser's script sees them, and the headers",
    answer(exchange) {
      const headers = escapeHtml(JSON.stringify(exchange.request.headers, null, 2));
      replyHtml(exchange, renderPage(exchange, "client-info", { headers }));
    },
  },
  {
    path: "/mobile",
    about: "a page with a wide and a narrow layout that names the device the server saw",
    answer(exchange) {
      const isMobile = /Mobile|Android|iPhone/.test(exchange.request.headers["user-agent"] ?? "");
      reply(exchange, {
        headers: { Vary: "User-Agent" },
        body: renderPage(exchange, "mobile", { device: isMobile ? "a phone" : "a desktop" }),
      });
    },
  },
  {
    path: "/languages",
    about: "answers in the language of Accept-Language: en, de, fr or es",
    answer: greet,
  },
  {
    path: "/counter",
    about: "a page that counts its own loads by ?key=; for tests of caches",
    answer(exchange) {
      const load = exchange.traffic.attempt(`counter ${exchange.url.searchParams.get("key") ?? ""}`);
      const main = `<h1>The turnstile</h1><p>This page has been loaded <strong id="count">${load}</strong> times.</p>`;
      replyHtml(exchange, simplePage(exchange, { title: "The turnstile", main }));
    },
  },
  {
    path: "/changing",
    about: "a price list whose prices change with every ?hold=1 loads of ?key=; for change tracking",
    answer: priceList,
  },
];

async function describe(exchange: Exchange): Promise<object> {
  const { request, url } = exchange;
  return {
    method: request.method,
    url: url.href,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: await readBody(request),
  };
}

const GREETINGS: Record<string, string> = {
  en: "Welcome to the harbour.",
  de: "Willkommen im Hafen.",
  fr: "Bienvenue au port.",
  es: "Bienvenidos al puerto.",
};

function greet(exchange: Exchange): void {
  const wanted = (exchange.request.headers["accept-language"] ?? "en").slice(0, 2).toLowerCase();
  const language = wanted in GREETINGS ? wanted : "en";
  const body = `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>Harbour</title></head><body><main><h1>${GREETINGS[language]}</h1></main></body></html>`;
  reply(exchange, { headers: { "Content-Language": language, Vary: "Accept-Language" }, body });
}

function priceList(exchange: Exchange): void {
  const hold = Math.max(1, numberParam(exchange, "hold", { fallback: 1, max: 1_000 }));
  const load = exchange.traffic.attempt(`changing ${exchange.url.searchParams.get("key") ?? ""}`);
  const version = Math.ceil(load / hold);
  const main = [
    "<h1>Catch of the day</h1>",
    "<p>Sold from the boat, as long as it lasts. Bring a bucket.</p>",
    "<table><thead><tr><th>Fish</th><th>Price per kilo</th></tr></thead><tbody>",
    `<tr><td>Herring</td><td class="price">£${(3 + version * 0.25).toFixed(2)}</td></tr>`,
    `<tr><td>Mackerel</td><td class="price">£4.10</td></tr>`,
    version > 1 ? `<tr><td>Sprat, landed with boat ${version}</td><td class="price">£2.00</td></tr>` : "",
    "</tbody></table>",
  ];
  replyHtml(exchange, simplePage(exchange, { title: "Catch of the day", main: main.join("\n") }));
}
