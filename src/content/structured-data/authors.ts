import type { ElementNode } from "../html/tree/tree.ts";
import { oneLine } from "./facts.ts";
import { readableText } from "./readable-text.ts";

const MAX_BYLINE_CHARS = 200;
const MAX_NAME_CHARS = 80;
const MAX_LABEL_CHARS = 20;
const MAX_NAME_WORDS = 7;
const MAX_NAMES = 12;

const LEAD =
  /^(?:(?:(?:written|posted|published|reported|created|submitted|started|asked|edited|words?|story|text|article|words and photos|geschrieben|verfasst|veroffentlicht|écrit|publié|rédigé|escrito|publicado|scritto|pubblicato|door)\s+(?:by|von|par|por|da|di)?|by|von|par|por|di|door|author|autor(?:in|en)?|auteure?s?|autore|autrice|著者|作者|文)\s*[:：/●]\s*|(?:(?:written|posted|published|reported|created|submitted|started|asked|edited|words|story|text|article|geschrieben|verfasst|veröffentlicht|écrit|publié|rédigé|escrito|publicado|scritto|pubblicato)\s+)?(?:by|von|par|por|di|door)\s+)(?=[\p{L}\p{N}@])/iu;
const MONTH =
  "(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|mars|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott)\\p{L}*\\.?";
const WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch";
/** The date, the time of reading and the parts of a site that follow a name in a byline. */
const TAIL = new RegExp(
  [
    `\\s*[,|·•–—(/-]?\\s*(?:\\b(?:on|at|am|vom|le|el|il|den|published|posted|updated|last updated|veröffentlicht|publié|publicado)\\b\\s*:?\\s*)*(?:(?:${WEEKDAY}),?\\s*)?(?:${MONTH}\\s+\\d|\\d{1,2}(?:st|nd|rd|th|\\.)?\\s+(?:de\\s+)?${MONTH}(?!\\p{L})|\\d{1,4}[./-]\\d{1,2}[./-]\\d{1,4}|\\d+\\s*(?:min|minutes?|hours?|days?|weeks?|months?|years?|ago|comments?|followers?)\\b|\\d{4}\\s*年).*$`,
    `\\s+(?:${WEEKDAY}),?\\s.*$`,
    "\\s+[|·•–—]\\s+.*$",
    "\\s+(?:mit|with|avec)\\s.*$",
    "\\s+\\((?:@|https?:|author|autor|updated).*$",
    "\\s*<[^<>]*(?:@|\\bat\\b)[^<>]*>.*$",
    // The address of an account beside the name: `Ada Lovelace@ada`.
    "(?<=[\\p{L}\\p{N}.])\\s*@[\\p{L}\\p{N}_]{2,30}(?![\\p{L}\\p{N}_.-]*\\.\\p{L}).*$",
    "\\s*\\((?:sponsored|advertorial|anzeige|werbung|paid|guest|gast|contributor|author|autor|editor|staff|he/|she/|they/)[^()]*\\).*$",
    ",\\s+(?:[\\p{L}&-]+\\s+){1,4}(?:at|bei|chez|presso)\\s+\\S.*$",
    ",\\s+(?:www\\.)?[\\w-]+\\.(?:com|org|net|de|fr|es|it|co\\.uk)\\b.*$",
    "(?:,\\s+(?:[\\p{L}&-]+\\s+){0,5}|\\s+(?:staff|senior|chief|contributing|associate|managing|special|deputy|executive|freelance|lead|political|technology|business|science|sports)\\s+(?:[\\p{L}&-]+\\s+){0,3})(?:writers?|editors?|reporters?|correspondents?|contributors?|journalists?|columnists?|producers?|redakteur(?:in)?|redaktion)\\b.*$",
    "\\s+(?:published|posted|updated|follow|view profile|read more|share)\\b.*$",
  ].join("|"),
  "iu",
);
/** The section of a site after a name: `Written by Ada Lovelace in Science`. */
const SECTION = /\s+in\s+\p{Lu}.*$/u;
/** `Our editors`, but not the name My Nguyen. */
const OURS = /^(?:[Oo]ur|[Yy]our|[Mm]y)\s+\p{Ll}/u;
/** Texts beside a label for the author that name nobody. */
const NOBODY =
  /^(?:author|authors|autor|auteur|by|von|par|por|unknown|anonymous|staff|editor|editors|guest|me|category|name|date|title|topic|subject|posts?|replies|views|last post|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|the author|about the author)$/i;

/**
 * Returns the names in a byline or the value of an author label, without its lead, date, role and section; undefined
 * when it names nobody: `By Ada Lovelace on May 1, 2026` is `Ada Lovelace`.
 */
export function readAuthor(source: string): string | undefined {
  const line = oneLine(source);
  if (line === "" || line.length > MAX_BYLINE_CHARS) return undefined;
  const whole = line.replace(/^["“„«]+|["”“»]+$/g, "");
  const led = whole.replace(LEAD, "");
  const untailed = led.replace(TAIL, "");
  const named = oneLine(
    (led === whole ? untailed : untailed.replace(SECTION, "")).replace(/[\s,;:|·•–—/*†‡-]+$/, ""),
  ).replace(/^@(?=\p{L})/u, "");
  return isName(named) ? named : undefined;
}

function isName(text: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(text) || NOBODY.test(text) || OURS.test(text)) return false;
  if (
    /^https?:|^\/|@[\w-]+\.|^(?:www\.)?[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|de|fr|es|it|co\.uk|info|dev)$/i.test(text)
  )
    return false;
  const names = text.split(/\s*(?:[,;、]|\s(?:and|und|et|y|e|&)\s)\s*/);
  if (names.length > MAX_NAMES) return false;
  return names.every(
    (name) =>
      name.length <= MAX_NAME_CHARS &&
      name.split(" ").length <= MAX_NAME_WORDS &&
      !/[!?。]|\.\s+\p{Lu}\p{Ll}{3,}\s/u.test(name),
  );
}

const BYLINE =
  /^(?:(?:written|posted|published|reported|story|words|geschrieben|écrit|escrito|scritto)\s+)?(?:by|von|par|por)\s+(?=[\p{Lu}@])/iu;
const LABEL_ALONE =
  /^(?:(?:written|posted|published|reported|story|words)\s+by|by|author|autor(?:in)?|auteur|autore)\s*:?$/i;
const CAPITAL = /^[\p{Lu}\p{Lo}@]/u;

/** Returns the text of an element that is a byline; undefined for every other element. */
export function readByline(element: ElementNode): string | undefined {
  const text = readableText(element);
  if (text.length > MAX_BYLINE_CHARS || !BYLINE.test(text)) return undefined;
  return isWritten(readAuthor(text)) ? text : undefined;
}

/**
 * Returns the text after an element that holds nothing but a label for the author: `Written by`.
 * @param next the next element in the same parent
 */
export function readLabelledAuthor(element: ElementNode, next: ElementNode | undefined): string | undefined {
  const text = readableText(element);
  if (next === undefined || text.length > MAX_LABEL_CHARS || !LABEL_ALONE.test(text)) return undefined;
  const value = readableText(next);
  return value.length <= MAX_NAME_CHARS && isWritten(readAuthor(value)) ? value : undefined;
}

/** Reports whether a text that only a class calls an author is a name, or the single word of an account. */
export function isNameOrAccount(name: string): boolean {
  return !name.includes(" ") || isWritten(name);
}

/** Reports whether each word of a name but its particles has a capital, as names have where they are not marked up. */
function isWritten(name: string | undefined): boolean {
  if (name === undefined) return false;
  const words = name
    .split(/[\s,]+/)
    .filter(
      (word) => !/^(?:de|da|dos|del|der|den|van|von|bin|al|la|le|di|and|und|et|y|e|mit|with|for|of|the)$/.test(word),
    );
  return words.length > 0 && words.length <= 12 && words.every((word) => CAPITAL.test(word));
}
