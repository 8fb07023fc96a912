import { withoutPrototype } from "../without-prototype.ts";
import { withShortMarks } from "./words.ts";

/**
 * Countries and territories by ISO 3166-1 alpha-2, each with its code of FIPS 10-4, as GDELT has them (LOOKUP-COUNTRIES.TXT); a
 * dash where there is none.
 */
const FIPS_OF_ISO = `
  ad:an ae:ae af:af ag:ac ai:av al:al am:am ao:ao aq:ay ar:ar as:aq at:au au:as aw:aa ax:- az:aj ba:bk bb:bb bd:bg be:be bf:uv
  bg:bu bh:ba bi:by bj:bn bl:tb bm:bd bn:bx bo:bl bq:- br:br bs:bf bt:bt bv:bv bw:bc by:bo bz:bh ca:ca cc:ck cd:cg cf:ct cg:cf
  ch:sz ci:iv ck:cw cl:ci cm:cm cn:ch co:co cr:cs cu:cu cv:cv cw:uc cx:kt cy:cy cz:ez de:gm dj:dj dk:da dm:do do:dr dz:ag ec:ec
  ee:en eg:eg eh:wi er:er es:sp et:et fi:fi fj:fj fk:fk fm:fm fo:fo fr:fr ga:gb gb:uk gd:gj ge:gg gf:fg gg:gk gh:gh gi:gi gl:gl
  gm:ga gn:gv gp:gp gq:ek gr:gr gs:sx gt:gt gu:gq gw:pu gy:gy hk:hk hm:hm hn:ho hr:hr ht:ha hu:hu id:id ie:ei il:is im:im in:in
  io:io iq:iz ir:ir is:ic it:it je:je jm:jm jo:jo jp:ja ke:ke kg:kg kh:cb ki:kr km:cn kn:sc kp:kn kr:ks kw:ku ky:cj kz:kz la:la
  lb:le lc:st li:ls lk:ce lr:li ls:lt lt:lh lu:lu lv:lg ly:ly ma:mo mc:mn md:md me:mj mf:rn mg:ma mh:rm mk:mk ml:ml mm:bm mn:mg
  mo:mc mp:cq mq:mb mr:mr ms:mh mt:mt mu:mp mv:mv mw:mi mx:mx my:my mz:mz na:wa nc:nc ne:ng nf:nf ng:ni ni:nu nl:nl no:no np:np
  nr:nr nu:ne nz:nz om:mu pa:pm pe:pe pf:fp pg:pp ph:rp pk:pk pl:pl pm:sb pn:pc pr:rq ps:we pt:po pw:ps py:pa qa:qa re:re ro:ro
  rs:ri ru:rs rw:rw sa:sa sb:bp sc:se sd:su se:sw sg:sn sh:sh si:si sj:sv sk:lo sl:sl sm:sm sn:sg so:so sr:ns ss:od st:tp sv:es
  sx:nn sy:sy sz:wz tc:tk td:cd tf:fs tg:to th:th tj:ti tk:tl tl:tt tm:tx tn:ts to:tn tr:tu tt:td tv:tv tw:tw tz:tz ua:up ug:ug
  um:- us:us uy:uy uz:uz va:vt vc:vc ve:ve vg:vi vi:vq vn:vm vu:nh wf:wf ws:ws xk:kv ye:ym yt:mf za:sf zm:za zw:zi`;
const FIPS: Record<string, string> = withoutPrototype(
  Object.fromEntries(
    FIPS_OF_ISO.trim()
      .split(/\s+/)
      .map((pair) => pair.split(":")),
  ) as Record<string, string>,
);

/** Common names that are not those of `Intl.DisplayNames`. */
const OTHER_NAMES: Record<string, string> = {
  "united states of america": "us", usa: "us", america: "us", uk: "gb", "great britain": "gb", england: "gb",
  korea: "kr", "republic of korea": "kr", turkey: "tr", "czech republic": "cz", holland: "nl", uae: "ae", "russian federation": "ru",
  "viet nam": "vn", "hong kong": "hk", macau: "mo", macao: "mo", "ivory coast": "ci", burma: "mm", myanmar: "mm", palestine: "ps",
  congo: "cg", "republic of the congo": "cg", "democratic republic of the congo": "cd", "east timor": "tl", swaziland: "sz", macedonia: "mk",
  "people's republic of china": "cn", vatican: "va", "cabo verde": "cv", "brunei darussalam": "bn",
}; // prettier-ignore

let names: Map<string, string> | undefined;

/**
 * Returns the ISO 3166-1 alpha-2 code, in lower case, of a country that is given by its code or its English name.
 * @returns undefined when no country has the name; any two letters count as a code.
 */
export function countryCode(text: string): string | undefined {
  const given = plain(text);
  if (/^[a-z]{2}$/.test(given)) return given === "uk" ? "gb" : given;
  names ??= new Map([
    ...Object.keys(FIPS).map((code): [string, string] => [plain(countryName(code) ?? code), code]),
    ...Object.entries(OTHER_NAMES).map(([name, code]): [string, string] => [plain(name), code]),
  ]);
  return names.get(given);
}

/** Returns the English name of a country by its code; undefined when the code is none. */
export function countryName(code: string): string | undefined {
  try {
    return new Intl.DisplayNames(["en"], { type: "region", fallback: "none" }).of(code.toUpperCase());
  } catch {
    return undefined;
  }
}

/** Returns the FIPS 10-4 code of a country, in capitals, by its ISO 3166-1 code; undefined when it has none. */
export function fipsCode(code: string): string | undefined {
  const fips = FIPS[code.toLowerCase()];
  return fips === undefined || fips === "-" ? undefined : fips.toUpperCase();
}

/** Small words that names are written with or without. */
const SMALL_WORDS = new Set(["", "the", "and", "of"]);

/** Returns the words of a name without case, diacritics, punctuation and small words. */
function plain(name: string): string {
  const letters = withShortMarks(name).normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return letters.split(/[^a-z]+/).filter((word) => !SMALL_WORDS.has(word)).join(" "); // prettier-ignore
}
