import { withoutPrototype } from "../core/without-prototype.ts";

/** Labels that stand before a country's top-level domain for its government, and the countries that use each. */
const LABELS: Record<string, string> = withoutPrototype({
  gov: "ae af ag ai al am ao ar as au aw az ba bb bd bf bg bh bm bn br bs bt bw by bz cd cl cm cn co cu cx cy cz dm dz ec ee eg er es et fj fk ge gg gh gi gm gn gr gu gy hk ie il in iq ir it je jm jo ki km kn kp kw ky kz la lb lc lk lr ls lt lv ly ma md me mg mk ml mm mn mo mr ms mt mu mv mw my mz ng nr om ph pk pl pr ps pt py qa rs ru rw sa sb sc sd sg sh si sk sl so ss st sx sy sz tl tm tn to tr tt tw ua uk vc ve vn ws ye za zm zw",
  gob: "ar bo cl do ec es gt hn mx ni pa pe sv ve",
  gouv: "bj ci fr ga gp ht km mc ml ne sn td tg",
  go: "cr id jp ke kr th tz ug",
  govt: "nz",
  gub: "uy",
  mil: "ar br co in nz ph uk za",
});

/** Domains of governments with another form. */
const OTHERS = [
  "europa.eu", "gc.ca", "canada.ca", "bund.de", "bundesregierung.de", "admin.ch", "gv.at", "gov.scot", "gov.wales",
  "government.nl", "overheid.nl", "rijksoverheid.nl", "regeringen.se", "regjeringen.no", "service-public.fr", "fed.us",
  "parliament.uk", "bundestag.de", "belgium.be", "fgov.be", "guv.ro",
]; // prettier-ignore

/** Domains of governments and armed forces: each with everything below it. */
export const GOV_SITES: readonly string[] = [
  "gov",
  "mil",
  ...OTHERS,
  ...Object.entries(LABELS).flatMap(([label, countries]) => countries.split(" ").map((code) => `${label}.${code}`)),
];

/** The most visited of them, for engines whose queries have room for a few sites. */
export const MAIN_GOV_SITES: readonly string[] = [
  "gov", "mil", "europa.eu", "gov.uk", "gc.ca", "gov.au", "gouv.fr", "bund.de", "gov.in", "go.jp", "gob.mx", "gov.br", "admin.ch",
]; // prettier-ignore
