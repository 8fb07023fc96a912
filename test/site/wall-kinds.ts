/** A challenge or refusal page as one of the known services shows it, cut down to what identifies it. */
export interface WallKind {
  status: number;
  headers?: Record<string, string>;
  title: string;
  head?: string;
  body: string;
}

const SCRIPT_OF = (src: string): string => `<script src="${src}"></script>`;
const INLINE = (code: string): string => `<script>${code}</script>`;

export const WALL_KINDS: Readonly<Record<string, WallKind>> = {
  "cloudflare-challenge": {
    status: 403,
    headers: { "cf-mitigated": "challenge" },
    title: "Just a moment...",
    body: `<div class="main-wrapper"><noscript>Enable JavaScript and cookies to continue</noscript></div>`,
  },
  "cloudflare-200": {
    status: 200,
    title: "Just a moment...",
    body: INLINE(`window._cf_chl_opt={cvId:'3',cType:'managed'};`) + SCRIPT_OF("/cdn-cgi/challenge-platform/h/b/orchestrate/jsch/v1"),
  },
  "cloudflare-german": {
    status: 200,
    title: "Nur einen Moment…",
    body: INLINE(`window._cf_chl_opt={cvId:'3'};`) + "<h2>Die Sicherheit Ihrer Verbindung wird überprüft</h2>",
  },
  "cloudflare-blocked": {
    status: 403,
    title: "Attention Required! | Cloudflare",
    body: `<div id="cf-error-details"><h1>Sorry, you have been blocked</h1></div>`,
  },
  "cloudflare-1020": {
    status: 403,
    title: "Access denied | harrow-bay.example used Cloudflare to restrict access",
    body: `<div id="cf-error-details" class="p-0"><h1>Error 1020</h1></div>`,
  },
  vercel: { status: 429, headers: { "x-vercel-mitigated": "challenge" }, title: "Vercel Security Checkpoint", body: "<p>We're verifying your browser</p>" },
  "vercel-200": { status: 200, title: "Vercel Security Checkpoint", body: `<p id="header-text">We're verifying your browser</p>` },
  "aws-waf-challenge": {
    status: 202,
    headers: { "x-amzn-waf-action": "challenge" },
    title: "",
    body: `<div id="challenge-container"></div>` + SCRIPT_OF("https://f2a1.token.awswaf.com/f2a1/challenge.js"),
  },
  "aws-waf-captcha": {
    status: 405,
    title: "Human Verification",
    body: INLINE(`window.gokuProps = {"key":"AQIDAHjc","iv":"A6w","context":"w4"};`) + SCRIPT_OF("https://f2a1.captcha.awswaf.com/f2a1/captcha.js"),
  },
  "aws-waf-200": {
    status: 200,
    title: "",
    body: INLINE(`window.awsWafCookieDomainList = [];window.gokuProps = {"key":"AQIDAHjc"};`) + SCRIPT_OF("https://f2a1.token.awswaf.com/challenge.js"),
  },
  datadome: {
    status: 403,
    headers: { "x-dd-b": "1", server: "DataDome" },
    title: "harrow-bay.example",
    body: INLINE(`var dd={'rt':'c','cid':'AHrl','hsh':'2211F5','t':'fe','host':'geo.captcha-delivery.com'}`) + SCRIPT_OF("https://ct.captcha-delivery.com/c.js"),
  },
  "datadome-200": {
    status: 200,
    title: "harrow-bay.example",
    body: INLINE(`var dd={'rt':'i','cid':'AHrl','hsh':'2211F5','host':'geo.captcha-delivery.com'}`) + SCRIPT_OF("https://ct.captcha-delivery.com/i.js"),
  },
  "human-hold": {
    status: 403,
    title: "Access to this page has been denied",
    body: `<div class="px-captcha-container"><h1>Before we continue...</h1><p>Press &amp; Hold to confirm you are a human (and not a bot).</p><div id="px-captcha"></div></div>`,
  },
  "human-200": {
    status: 200,
    title: "Robot or human?",
    body: INLINE(`window._pxAppId='PXu6b0qd2S';window._pxJsClientSrc='/px/client/main.min.js';`) + `<p>Activate and hold the button to confirm that you're human.</p><div id="px-captcha"></div>`,
  },
  "akamai-denied": {
    status: 403,
    title: "Access Denied",
    body: `<h1>Access Denied</h1>You don't have permission to access "http&#58;&#47;&#47;harrow-bay&#46;example&#47;" on this server.<p>Reference&#32;&#35;18&#46;2d3d1fb8&#46;1763</p><p>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;2d</p>`,
  },
  "akamai-challenge": {
    status: 200,
    title: "Challenge Validation",
    body: `<div id="sec-if-cpt-container" role="main"><iframe src="/_sec/cp_challenge/ak-challenge-4-4.htm" data-key="" data-duration="5"></iframe></div>`,
  },
  "akamai-429": {
    status: 429,
    title: "",
    body: `<div id="sec-cpt-if" class="crypto" data-key="" data-duration="5" src="/_sec/cp_challenge/crypto_message-4-3.htm"></div>`,
  },
  incapsula: {
    status: 403,
    title: "",
    head: `<meta name="robots" content="noindex, nofollow">`,
    body: `<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=8-1234&incident_id=1234-5678&edet=12" height="100%" width="100%">Request unsuccessful. Incapsula incident ID: 1234-5678</iframe>`,
  },
  "imperva-interruption": {
    status: 200,
    title: "Pardon Our Interruption",
    body: "<h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot.</p>",
  },
  kasada: {
    status: 429,
    headers: { "x-kpsdk-ct": "02WnFpC" },
    title: "",
    body: INLINE("window.KPSDK={};KPSDK.now=Date.now;") + SCRIPT_OF("/149e9513-01fa/2d206a39/ips.js?tkrm_alpekz_s1.3=08s"),
  },
  "kasada-200": {
    status: 200,
    title: "",
    body: INLINE("window.KPSDK={};KPSDK.now=Date.now;KPSDK.start=KPSDK.now();") + SCRIPT_OF("/149e9513-01fa/2d206a39/ips.js?x=1"),
  },
  "sucuri-denied": {
    status: 403,
    title: "Sucuri WebSite Firewall - Access Denied",
    body: `<section><h1>Access Denied - Sucuri Website Firewall</h1><p>If you are the site owner, open a ticket.</p></section>`,
  },
  "sucuri-redirect": {
    status: 200,
    title: "You are being redirected...",
    body: "<noscript>Javascript is required.</noscript>" + INLINE("var s={},u,c,U,r,i,l=0,a,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='cz0i';"),
  },
  "ddos-guard": {
    status: 403,
    title: "DDoS-Guard",
    body: "<h1>Checking your browser before accessing harrow-bay.example</h1>" + SCRIPT_OF("/.well-known/ddos-guard/js-challenge/index.js"),
  },
  "f5-rejected": {
    status: 200,
    title: "Request Rejected",
    body: "The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1234567890<br>",
  },
  "f5-challenge": {
    status: 200,
    title: "",
    body: INLINE(`(function(){window["bobcmn"] = "10111010101";})();`) + SCRIPT_OF("/TSPD/086bc2?type=8") + "<noscript>Please enable JavaScript to view the page content.</noscript>",
  },
  radware: {
    status: 200,
    title: "Radware Captcha Page",
    body: `<p>We apologize for the inconvenience</p>` + SCRIPT_OF("https://captcha.perfdrive.com/captcha.js"),
  },
  reblaze: {
    status: 247,
    title: "",
    body: INLINE(`window.rbzns = {bereshit: "1", seed: "Zm9v"}; winsocks();`),
  },
  wordfence: {
    status: 503,
    title: "Your access to this site has been limited by the site owner",
    body: "<h1>Your access to this site has been limited by the site owner</h1><p>Generated by Wordfence at Mon, 2 Nov 2026</p>",
  },
  fastly: {
    status: 200,
    title: "Client Challenge",
    body: `<noscript>JavaScript is disabled in your browser.</noscript>` + SCRIPT_OF("/_fs-ch-1T1wmsGaOgGaSxcX/script.js"),
  },
  "google-sorry": {
    status: 429,
    title: "https://www.google.example/search?q=harbour",
    body: `<form id="captcha-form" action="index" method="post"></form>Our systems have detected unusual traffic from your computer network. This page checks to see if it's really you.`,
  },
  amazon: {
    status: 200,
    title: "Robot Check",
    body: `<h4>Enter the characters you see below</h4><form method="get" action="/errors/validateCaptcha"><input name="field-keywords"></form>`,
  },
  anubis: {
    status: 200,
    title: "Making sure you're not a bot!",
    body: `<script id="anubis_version" type="application/json">"v1.23"</script><script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4}}</script><p id="status">Loading...</p>`,
  },
  "go-away": { status: 418, title: "Checking you are not a bot", body: "<h2>Checking you are not a bot</h2><p>Please wait a moment.</p>" },
  "alibaba-cookie": {
    status: 200,
    title: "",
    body: INLINE("var arg1='3D0B5EF84FE2A8E1B6C2F9D7A0C4E6B8D2F1A3C5';var _0x4818=['csKHwqMI','ZsKJwr8V'];"),
  },
  "alibaba-punish": {
    status: 200,
    title: "",
    body: INLINE(`sessionStorage.x5referer = window.location.href;window.location.replace("https://harrow-bay.example:443//search/_____tmd_____/punish?x5secdata=xd");`),
  },
  tencent: {
    status: 200,
    title: "安全验证",
    body: INLINE(`new TencentCaptcha("2003473469", function () {}).show();`) + SCRIPT_OF("https://captcha.gtimg.com/TCaptcha.js"),
  },
  baidu: { status: 200, title: "百度安全验证", body: `<div class="timeout-title">网络不给力，请稍后重试</div>` },
  yandex: {
    status: 200,
    title: "Are you not a robot?",
    body: `<form method="POST" action="/checkcaptcha?key=1"><div class="CheckboxCaptcha" id="js-button"></div></form><p>Please confirm that you and not a robot are sending requests</p>`,
  },
  qrator: { status: 401, title: "", body: SCRIPT_OF("/__qrator/qauth_utm_v2_1.js") },
  siteground: {
    status: 202,
    headers: { "sg-captcha": "challenge" },
    title: "",
    body: `<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F&y=ipc:10.0.0.1:1763">`,
  },
  imunify360: {
    status: 200,
    title: "One moment, please...",
    body: `<h1>Please wait while your request is being verified...</h1><form id="wsidchk-form" style="display:none;" action="/z0f76a1d14fd21a8fb5fd0d03e0fdc3d3cedae52f" method="GET"></form>`,
  },
  bunny: { status: 403, title: "Establishing a secure connection ...", body: `<p>Establishing a secure connection</p>` + SCRIPT_OF("/.bunny-shield/assets/challenge.js") },
  azure: { status: 403, title: "Azure WAF", body: `<p>Please wait while we check your browser</p>` },
  geetest: { status: 200, title: "Security verification", body: `<div id="captcha"></div>` + INLINE("initGeetest4({captchaId:'a1'}, function(){});") },
  hcaptcha: { status: 200, title: "Human verification", body: `<form><div class="h-captcha" data-sitekey="10000000"></div></form>` },
  recaptcha: { status: 200, title: "Unusual activity", body: `<form action="/verify"><div class="g-recaptcha" data-sitekey="6Lc"></div></form><p>Show us that you are no program.</p>` },
  "friendly-captcha": { status: 200, title: "Security check", body: `<form><div class="frc-captcha" data-sitekey="FC"></div></form>` },
  altcha: { status: 200, title: "Verification required", body: `<form><altcha-widget challengeurl="/altcha"></altcha-widget></form>` },
  bitninja: { status: 403, title: "Security check", body: "<p>Your IP address was greylisted by BitNinja.</p>" },
  cleantalk: { status: 403, title: "Blocked", body: `<p>Anti-Crawler by CleanTalk. Please, pass the check.</p>` },
  "queue-it": { status: 200, title: "Waiting room", body: `<p>You are now in line.</p>` + SCRIPT_OF("https://static.queue-it.net/script/queueclient.min.js") },
  litespeed: { status: 200, title: "", body: SCRIPT_OF("/.lsrecap/recaptcha?r=1") },
  fortiweb: { status: 200, title: "Web Page Blocked!", body: "<p>The page cannot be displayed. Attack ID: 20000051</p>" },
  barracuda: { status: 403, title: "Notice", body: "<p>Your request was blocked by Barracuda Web Application Firewall.</p>" },
  netscaler: { status: 200, title: "", body: "<p>NetScaler: please solve the captcha.</p>" },
}; // prettier-ignore

/** Help in many languages, as large challenge pages have it, until the page has this many bytes. */
export function renderWall({ title, head = "", body }: WallKind, bytes = 0): string {
  const page = (filling: string): string =>
    `<!doctype html><html><head><title>${title}</title>${head}<style>${filling}</style></head><body>${body}</body></html>`;
  const missing = Math.max(0, bytes - page("").length);
  return page(".loader{animation:spin 2s linear infinite}".repeat(Math.ceil(missing / 42)).slice(0, missing));
}
