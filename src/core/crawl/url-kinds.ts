import { registrableDomain } from "../url/registrable-domain.ts";

/** Extensions of files without text: images, styles, scripts, fonts, archives, media, programs. Not documents. */
const SKIPPED_EXTENSIONS: ReadonlySet<string> = new Set([
  ..."png jpg jpeg jfif gif svg webp avif apng ico bmp tif tiff heic heif psd eps raw".split(" "),
  ..."css less scss js mjs cjs map wasm woff woff2 ttf otf eot".split(" "),
  ..."zip gz tgz tar bz2 xz zst 7z rar jar war cab".split(" "),
  ..."mp3 mp4 m4a m4v mov avi wmv wma flv mkv webm ogg oga ogv opus wav flac aac mpg mpeg 3gp".split(" "),
  ..."exe msi dmg pkg deb rpm apk ipa iso img bin dll so dylib".split(" "),
]);

const SOCIAL_NAMES: ReadonlySet<string> = new Set(
  "facebook twitter linkedin instagram pinterest github calendly discord".split(" "),
);
const SOCIAL_DOMAINS: ReadonlySet<string> = new Set(["x.com", "fb.com", "lnkd.in", "pin.it", "t.co"]);

/** Reports whether a path has the extension of a file without text. */
export function isSkippedFile(pathname: string): boolean {
  const name = pathname.slice(pathname.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot >= 0 && SKIPPED_EXTENSIONS.has(name.slice(dot + 1).toLowerCase());
}

/** Reports whether a host is a social network or similar, which most sites link to and no crawl is meant for. */
export function isSocialHost(hostname: string): boolean {
  const domain = registrableDomain(hostname);
  if (domain === undefined) return false;
  return SOCIAL_DOMAINS.has(domain) || SOCIAL_NAMES.has(domain.slice(0, domain.indexOf(".")));
}
