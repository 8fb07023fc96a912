import type { Exchange, Route } from "../exchange.ts";
import { readBody, readCookies } from "../exchange.ts";
import { escapeHtml, redirect, reply, replyHtml } from "../reply.ts";
import { renderPage, simplePage } from "../render.ts";

/** The one account of the site. */
export const ACCOUNT = { user: "halloran", password: "seven-fathoms" };

const SESSION = "session=berth-17";

/** Forms, and pages behind a sign-in. */
export const accounts: Route[] = [
  {
    path: "/form",
    about: "a form with every usual field; posts to /form/submit",
    answer: (exchange) => replyHtml(exchange, renderPage(exchange, "form")),
  },
  { path: "/form/submit", about: "shows the fields that were posted (form or JSON)", answer: showSubmitted },
  {
    path: "/login",
    about: `sign-in form; POST user=${ACCOUNT.user} password=${ACCOUNT.password} sets a cookie and leads to /account`,
    answer: logIn,
  },
  { path: "/account", about: "a page behind the sign-in; without the cookie 302 to /login", answer: showAccount },
  {
    path: "/account/berth",
    about: "behind the sign-in; its script shows localStorage.tide and sessionStorage.berth, and it links to /account",
    answer: showBerth,
  },
  {
    path: "/logout",
    about: "takes the cookie away",
    answer(exchange) {
      exchange.response.setHeader("Set-Cookie", "session=; Path=/; Max-Age=0");
      redirect(exchange, "/login", 303);
    },
  },
  {
    path: "/basic-auth",
    about: `HTTP Basic: ${ACCOUNT.user} and ${ACCOUNT.password}; otherwise 401`,
    answer: basicAuth,
  },
  {
    path: "/set-cookie",
    about: "sets the cookie ?name=visit to ?value=1 and leads to /echo",
    answer(exchange) {
      const query = exchange.url.searchParams;
      const [name, value] = [query.get("name") ?? "visit", query.get("value") ?? "1"].map(encodeURIComponent);
      exchange.response.setHeader("Set-Cookie", `${name}=${value}; Path=/`);
      redirect(exchange, "/echo");
    },
  },
];

async function showSubmitted(exchange: Exchange): Promise<void> {
  const body = await readBody(exchange.request);
  const fields = [...new URLSearchParams(body)].map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  const main = `<h1>Thank you, we have written it down</h1>\n<dl>\n${fields.join("\n")}\n</dl>`;
  replyHtml(exchange, simplePage(exchange, { title: "Fault reported", main }));
}

async function logIn(exchange: Exchange): Promise<void> {
  if (exchange.request.method !== "POST") return loginForm(exchange, "");
  const fields = new URLSearchParams(await readBody(exchange.request));
  const isKnown = fields.get("user") === ACCOUNT.user && fields.get("password") === ACCOUNT.password;
  if (!isKnown) return loginForm(exchange, "Name or password is wrong.");
  exchange.response.setHeader("Set-Cookie", `${SESSION}; Path=/; HttpOnly; SameSite=Lax`);
  redirect(exchange, "/account", 303);
}

function loginForm(exchange: Exchange, message: string): void {
  replyHtml(exchange, renderPage(exchange, "refusals/login", { message }), message === "" ? 200 : 401);
}

function showAccount(exchange: Exchange): void {
  if (readCookies(exchange.request).session !== "berth-17") return redirect(exchange, "/login");
  replyHtml(exchange, renderPage(exchange, "refusals/account", { user: ACCOUNT.user }));
}

function showBerth(exchange: Exchange): void {
  if (readCookies(exchange.request).session !== "berth-17") return redirect(exchange, "/login");
  const show = `document.getElementById("kept").textContent = \`The tide is \${localStorage.tide}, berth \${sessionStorage.berth}\``;
  const main = `<h1>The pontoon</h1>\n<p id="kept">Without scripts.</p>\n<p><a href="/account">Your berth</a></p>\n<script>${show}</script>`;
  replyHtml(exchange, simplePage(exchange, { title: "The pontoon", main }));
}

function basicAuth(exchange: Exchange): void {
  const expected = `Basic ${Buffer.from(`${ACCOUNT.user}:${ACCOUNT.password}`).toString("base64")}`;
  if (exchange.request.headers.authorization === expected) {
    return replyHtml(exchange, renderPage(exchange, "refusals/account", { user: ACCOUNT.user }));
  }
  const main = "<h1>401 Unauthorized</h1><p>This door has a key.</p>";
  reply(exchange, {
    status: 401,
    headers: { "WWW-Authenticate": 'Basic realm="Harrow Bay"' },
    body: simplePage(exchange, { title: "401 Unauthorized", main }),
  });
}
