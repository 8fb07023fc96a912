/** Options as n8n's node spells them out, the ones that nobody chose too. */
export const N8N_SCRAPE_OPTIONS = {
  parsers: [],
  formats: ["markdown"],
  onlyMainContent: true,
  includeTags: [],
  excludeTags: [],
  headers: {},
  waitFor: 0,
  mobile: false,
  skipTlsVerification: false,
  timeout: 30_000,
  actions: [],
  location: { languages: ["en-US"] },
  removeBase64Images: true,
  blockAds: true,
  storeInCache: true,
  proxy: "basic",
};
