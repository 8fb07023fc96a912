/** Hosts that serve advertisements, auctions, tracking and session recording; their subdomains count too. */
const AD_HOSTS = new Set(
  `
  2mdn.net 33across.com 3lift.com a-ads.com ad-delivery.net ad.gt adcolony.com addthis.com adform.net adgrx.com
  adition.com adjust.com admanmedia.com adnxs.com adroll.com adsafeprotected.com adsrvr.org adsymptotic.com
  adtechus.com advertising.com adthrive.com agkn.com amazon-adsystem.com amplitude.com app-measurement.com
  appsflyer.com atdmt.com bidr.io bidswitch.net bizographics.com bluekai.com bounceexchange.com branch.io
  buysellads.com carbonads.com carbonads.net casalemedia.com chartbeat.com chartbeat.net clarity.ms clicktale.net
  comscore.com connatix.com contextweb.com cpx.to crazyegg.com criteo.com criteo.net crwdcntrl.net demdex.net
  dotomi.com doubleclick.net doubleverify.com effectivemeasure.net emxdgt.com everesttech.net exelator.com eyeota.net
  ezoic.com ezoic.net flashtalking.com freewheel.tv fullstory.com fwmrm.net google-analytics.com googleadservices.com
  googlesyndication.com googletagmanager.com googletagservices.com gumgum.com heapanalytics.com histats.com hotjar.com
  hotjar.io imrworldwide.com id5-sync.com impact-ad.jp indexww.com innovid.com inspectlet.com intentiq.com ipredictive.com
  kargo.com krxd.net liadm.com lijit.com liveintent.com liveramp.com logrocket.com luckyorange.com mathtag.com
  media.net mediavine.com mgid.com ml314.com moatads.com moatpixel.com mouseflow.com mxpnl.com mookie1.com
  nativo.com newrelic.com nr-data.net onetag-sys.com openx.net optimizely.com outbrain.com owneriq.net
  parsely.com permutive.com pippio.com popads.net popcash.net propellerads.com pubmatic.com pubmine.com quantcast.com
  quantserve.com quantummetric.com revcontent.com rfihub.com richaudience.com rlcdn.com rubiconproject.com
  scorecardresearch.com segment.com segment.io semasio.net serving-sys.com sharethis.com sharethrough.com simpli.fi
  sitescout.com skimresources.com smaato.net smartadserver.com smartclip.net sonobi.com spotxchange.com
  stackadapt.com statcounter.com taboola.com tapad.com teads.tv tealiumiq.com tremorhub.com tribalfusion.com
  turn.com undertone.com unrulymedia.com vdo.ai viglink.com w55c.net weborama.fr yieldlab.net yieldmo.com
  yieldlove.com zedo.com zemanta.com
  `
    .trim()
    .split(/\s+/),
);

/** Paths that hold advertisements and beacons on hosts which also serve content. */
const AD_PATHS = [
  /\/(adsbygoogle|pagead|adserver|adservice|ad-?banners?|ad-?frames?|prebid\d*|doubleclick)([/.?_-]|$)/i,
  /\/(gtag|gtm|analytics|ga|fbevents|matomo|piwik|pixel|tracking-pixel|beacon\.min)\.(js|php|gif)(\?|$)/i,
  /[?&](ad_?slot|ad_?unit|adzone|google_ads)=/i,
];

/** Folder of advertisements, and the ending of a file in it. One expression for both takes square time. */
const AD_FOLDER = /\/(ads|adverts?|advertising|banner-?ads?|sponsored-ads)\//i;
const AD_FILE = /\.(js|gif|png|jpe?g|webp|html?|php)$/i;

const FACEBOOK_TRACKERS = /^https?:\/\/(www\.facebook\.com\/tr[/?]|connect\.facebook\.net\/.*\/fbevents)/i;

/**
 * Reports whether a request serves only advertisements or tracking, in time linear in its URL. Not called for pages
 * themselves; requests of a listed site's own pages to that site are not advertisements.
 */
export function isAdRequest(url: string, pageUrl: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const adHost = adHostOf(parsed.hostname);
  if (adHost !== undefined && adHost !== adHostOf(URL.parse(pageUrl)?.hostname ?? "")) return true;
  return FACEBOOK_TRACKERS.test(url) || AD_PATHS.some((path) => path.test(url)) || isAdFile(url);
}

function isAdFile(url: string): boolean {
  return AD_FOLDER.test(url) && url.split("?").some((part) => AD_FILE.test(part) && AD_FOLDER.test(part));
}

const MAX_LABELS = Math.max(...[...AD_HOSTS].map((host) => host.split(".").length));

/** Returns the list entry that covers a host name. */
function adHostOf(hostname: string): string | undefined {
  const labels = hostname.split(".").slice(-MAX_LABELS);
  return labels.map((_, index) => labels.slice(index).join(".")).find((name) => AD_HOSTS.has(name));
}
