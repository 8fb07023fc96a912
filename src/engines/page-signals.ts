import { refreshTarget } from "../content/html/page-facts.ts";
import type { PageView } from "../content/page-view.ts";
import { findWallKind } from "./wall-signals.ts";

/** A reason why a loaded page does not have its content. */
export type Obstacle =
  /** Scripts fill the page: an empty shell, or a demand to turn JavaScript on. */
  | { kind: "needs_browser"; reason: "app_shell" | "noscript_wall" | "meta_refresh" | "framed_content" }
  /** The site refuses robots: a challenge, a captcha, an access-denied page. */
  | { kind: "blocked"; reason: "bot_wall" | "access_denied" }
  /** There is a page, but not the one that was meant. */
  | { kind: "suspect"; reason: "login_wall" | "soft_404" | "still_loading" };

/** A page with scripts and less text than this is worth a look with a browser. */
const HARDLY_ANY_TEXT = 100;
/** Text below this length is looked at twice. */
const LITTLE_TEXT = 250;
/** Walls are short pages: nobody writes an article around a captcha. */
const WALL_TEXT = 2500;

const CHALLENGE_MARKUP =
  /cf-challenge|challenge-platform|cf_chl_|_cf_chl|__cf_chl|turnstile|px-captcha|perimeterx|datadome|captcha-delivery|distil_r_|incapsula incident|_Incapsula_|awswaf|aws-waf-token|hcaptcha\.com|recaptcha\/api|ddos-guard|sucuri_cloudproxy|kasada|akamai.{0,20}bot/i;
const CHALLENGE_TEXT =
  /checking (?:if the site connection is secure|your browser)|verify(?:ing)? (?:that )?you are (?:a )?human|are you a robot|i'?m not a robot|please complete the (?:security check|captcha)|unusual traffic|just a moment\b|attention required|enable javascript and cookies to continue|prove (?:that )?you are (?:a )?human|human verification|bot (?:detection|protection)|security check to access|ddos protection by/i;
const DENIED_TEXT =
  /access (?:to this (?:page|site|resource) (?:has been|is) )?denied|request (?:was )?blocked|you have been blocked|forbidden by|not (?:allowed|permitted) to access|you don'?t have permission to access/i;
const NOSCRIPT_TEXT =
  /(?:enable|turn on|activate|requires?|need) javascript|javascript (?:is|must be|needs to be) (?:disabled|enabled|required|turned on|not enabled)|without javascript|javascript to (?:run|view|use) this/i;
const NOT_FOUND_TEXT =
  /\b404\b|page (?:was |could )?not (?:be )?found|(?:page|content|article|product) (?:you(?:'re| are) looking for )?(?:does not|doesn'?t|no longer) exists?|nothing (?:was )?found here|seite nicht gefunden|page introuvable|página no encontrada/i;
const LOGIN_TEXT =
  /(?:log|sign) ?in (?:to|or|with)|please (?:log|sign) ?in|you must be logged in|members only|login required/i;
const SHELL_IDS = new Set([
  "root",
  "app",
  "__next",
  "__nuxt",
  "___gatsby",
  "svelte",
  "q-app",
  "main-app",
  "app-root",
  "react-root",
]);
const WAITING_TEXT = /(?:^|\s)(?:loading|please wait|one moment)\b/i;
const LOADING_TEXT = /^(?:please wait|loading|initiali[sz]ing|one moment)[\s.…!]*$/i;

/** Returns the first reason why a loaded page lacks its content, or undefined. Pure; walks the page once. */
export function findObstacle(page: PageView): Obstacle | undefined {
  if (page.kind !== "html") return undefined;
  const facts = page.facts();
  const scriptNeed =
    page.loaded.engine === "browser" ? undefined : findScriptNeed(facts, page.loaded.headers["refresh"]);
  return findWall(page, facts) ?? scriptNeed ?? findWaiting(page, facts) ?? findWrongPage(page, facts);
}

type Facts = ReturnType<PageView["facts"]>;

function findWall({ loaded }: PageView, facts: Facts): Obstacle | undefined {
  const { text, title, markup } = facts;
  const { statusCode, headers } = loaded;
  const wall = findWallKind({ statusCode, headers, title, text, markup });
  if (wall !== undefined) return { kind: "blocked", reason: wall === "refusal" ? "access_denied" : "bot_wall" };
  if (text.length > WALL_TEXT) return undefined;
  const words = `${title} ${text}`;
  const refused = [401, 403, 405, 429, 503].includes(statusCode);
  const hasMarkup = CHALLENGE_MARKUP.test(markup);
  const hasWords = CHALLENGE_TEXT.test(words);
  if (refused && (hasMarkup || hasWords)) return { kind: "blocked", reason: "bot_wall" };
  if (hasWords && (hasMarkup || text.length < LITTLE_TEXT)) return { kind: "blocked", reason: "bot_wall" };
  if ([401, 403].includes(statusCode) && DENIED_TEXT.test(words)) return { kind: "blocked", reason: "access_denied" };
  return undefined;
}

function findScriptNeed(facts: Facts, refresh: string | undefined): Obstacle | undefined {
  const refreshUrl = facts.metaRefreshUrl ?? refreshTarget(refresh);
  if (refreshUrl !== undefined && facts.text.length < LITTLE_TEXT) {
    return { kind: "needs_browser", reason: "meta_refresh" };
  }
  if (facts.frames > 0 && facts.text.length < LITTLE_TEXT) return { kind: "needs_browser", reason: "framed_content" };
  if (facts.scripts === 0) return undefined;
  if (facts.text.length < LITTLE_TEXT && NOSCRIPT_TEXT.test(`${facts.noscriptText} ${facts.text}`)) {
    return { kind: "needs_browser", reason: "noscript_wall" };
  }
  if (isShell(facts)) return { kind: "needs_browser", reason: "app_shell" };
  return undefined;
}

/** Hardly any text, and a place that scripts fill, or nothing at all beside scripts. */
function isShell({ text, emptyContainers, scripts, links, images }: Facts): boolean {
  if (LOADING_TEXT.test(text.trim())) return true;
  if (text.length < LITTLE_TEXT && emptyContainers.some((name) => SHELL_IDS.has(name))) return true;
  return text.length < HARDLY_ANY_TEXT && scripts > 0 && links < 3 && images === 0;
}

/** A browser that gave up waiting for scripts has nothing but their waiting words. */
function findWaiting(page: PageView, { text }: Facts): Obstacle | undefined {
  if (page.loaded.engine !== "browser" || text.length > HARDLY_ANY_TEXT || !WAITING_TEXT.test(text)) return undefined;
  return { kind: "suspect", reason: "still_loading" };
}

function findWrongPage(page: PageView, { text, title, headings, passwordFields }: Facts): Obstacle | undefined {
  if (text.length > WALL_TEXT) return undefined;
  const hasError = page.loaded.statusCode >= 400;
  if (!hasError && NOT_FOUND_TEXT.test(`${title} ${headings}`)) return { kind: "suspect", reason: "soft_404" };
  const isLogin = passwordFields > 0 && (text.length < 4 * LITTLE_TEXT || LOGIN_TEXT.test(text));
  if (!hasError && isLogin) return { kind: "suspect", reason: "login_wall" };
  return undefined;
}
