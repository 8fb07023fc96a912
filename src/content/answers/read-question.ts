import type { AnswerKind } from "./answer-kind.ts";
import { foldText } from "../../core/search/words.ts";
import { JAPANESE_SCAFFOLDING, PAGE_NOUNS, PROPERTIES, SCAFFOLDING } from "./question-words.ts";

/** A question in natural language, read by rules. */
export interface AskedQuestion {
  text: string;
  kind: AnswerKind;
  /** Names of the property that is asked for, best first, such as `date published`; empty when no rule knows it. */
  properties: string[];
  /** Folded words that mention the property: a sentence that answers holds one of them. */
  mentions: string[];
  /** Folded words for the thing that the question is about, without the property; empty for the page's own subject. */
  subject: string[];
  /** The words of `subject` that are names: capitalised, or with digits. */
  names: string[];
}

/** The rest of a longer question is not read. */
const MAX_CHARS = 2_000;

const POLITE =
  /^(?:(?:hi|hello|please|bitte|por favor|per favore)[,!]?\s+|(?:can|could|would) you (?:please )?(?:tell me|say|give me|find(?: out)?|show me|extract)\s+|(?:tell me|find(?: out)?|give me|show me|extract|get|return|state|name|i (?:want|need|would like) to know|do you know|does (?:the|this) (?:page|text|article) (?:say|mention|state|tell)|according to (?:the|this) (?:page|article|text|site),?|(?:kannst|konnen) (?:du|sie) mir sagen,?|sag mir,?|pouvez-vous me dire|dis-moi|puedes decirme|dime|puoi dirmi|dimmi)\s+)+/;
const SUMMARY =
  /^(?:summari[sz]e|tl;?dr|(?:a |give (?:me )?(?:a |an )?)?(?:short |brief )?(?:summary|overview)\b)|^what(?:'s|’s| is| was| are)? ?(?:this|the|that|it|its)(?: \p{L}+){0,2}? (?:all |mainly |mostly )?about\s*\??$|^what (?:is|'s|’s) (?:it|this|that) about|^what does (?:this|the) (?:page|article|site|website|document|post|text|thread|blog) (?:say|cover|describe|discuss|explain|talk about)\s*\??$|\b(?:main|key|central) (?:topic|points?|ideas?|subject|theme|message)\b|^(?:worum|um was) (?:geht|handelt)|^wovon handelt|^was ist (?:das thema|der inhalt)|^fasse?\b.*zusammen|zusammenfassung|^de quoi (?:parle|traite|s'agit|il s'agit)|^quel est le (?:sujet|theme)|^resume[rz]?\b|^de que (?:se )?(?:trata|habla|va)|^sobre (?:o )?que (?:es?|trata|fala)\b|^di (?:che )?cosa (?:parla|tratta|si tratta)|^riassu|^do que (?:se )?trata|^waar gaat|概要|要約|何について|关于什么/u;
const YES_NO =
  /^(?:is|are|was(?! (?:ist|sind|kostet|kosten|macht|machen|bedeutet|wird|hat|haben|war|waren|steht|gibt|sagt|wiegt|kann|muss|fur)\b)|were|does|do|did|has|have|had|can|could|will|would|should|may|must|ist|sind|war|waren|hat|haben|kann|konnen|gibt es|wird|werden|darf|bietet|est-ce|est-il|est-elle|y a-t-il|a-t-il|a-t-elle|peut-on|existe-t-il|es(?= )|esta|estan|tiene|tienen|hay|puede|se puede|existe|ha\b|e possibile|c'e|ci sono|si puo)\b/;
const KINDS: readonly [RegExp, AnswerKind][] = [
  [/\be-?mails?\b|\bmail address|\bcorreo\b|\bcourriel\b|メール/, "email"],
  [/\b(?:tele)?phone\b|\btelefon|\btelephone|\btelefono|電話/, "phone"],
  [
    /\b(?:pric(?:e|es|ed|ing)|costs?|expensive|preise?s?|kostet|kosten|prix|coute(?:nt)?|cout|precios?|cuestan?|vale|prezz[io]|costan?o?|preco|custa|prijs|kost|fees?|fares?|rent|tuition|teuer)\b|^how much (?:is|are|was|will|money)\b|^(?:what|how much) do(?:es)? .*\bpay\b|^cuanto es\b|いくら|価格|値段|多少钱|价格/,
    "price",
  ],
  [
    /^(?:(?:since|until|by|from) )?when\b|^(?:seit |bis )?wann\b|^(?:depuis )?quand\b|^(?:desde )?cuando\b|^(?:da )?quando\b|^wanneer\b|\b(?:at|on|in|by)? ?(?:what|which) (?:date|day|year|month|time|weekday)\b|\bwelche[mns]? (?:tag|jahr|datum|monat)\b|\b(?:date|datum|fecha|data|deadline|birthday|jahr)\b|^what year\b|いつ|日付|什么时候/,
    "date",
  ],
  [
    /^(?:by |to |for |with )?(?:who|whom|whose)\b|^(?:von )?(?:wer|wem)\b|^(?:par |de |a )?qui\b|^(?:de |a |con )?quien(?:es)?\b|^(?:di |da )?chi\b|^(?:de |por )?quem\b|^(?:door |van )?wie (?:is|zijn|heeft|schreef)\b|\b(?:author|writer|creator|founder|ceo|director|speaker|editor|manufacturer|brand|publisher|owner|president|instructor|photographer|organi[sz]er|autor(?:in)?|verfasser|hersteller|marke|auteur|fabricant|marque|autore|marca|editore)\b|^(?:what|which) (?:company|organi[sz]ation|person|team|school|university|bank|store|shop)\b|\b(?:name)\b|誰|著者|作者|谁/,
    "name",
  ],
  [
    /^how (?:many|much|old|tall|high|long|large|big|heavy|wide|deep|far|fast|thick|hot|cold|strong|loud)\b|^wie (?:viele?|hoch|lange?|gross|schwer|alt|breit|tief|weit|schnell|stark)\b|^combien\b|^cuant[oa]s?\b|^quant[oiae]s?\b|\bnumber of\b|\banzahl\b|\b(?:rating|score|population|weight|height|width|length|percentage|capacity|gewicht|hohe|breite|poids|hauteur|peso|altura|einwohner)\b|何人|何個|多少/,
    "number",
  ],
  [
    /^where\b|^wo(?:her|hin)?\b|^ou (?:est|se|sont)\b|^donde\b|^dove\b|\b(?:address|location|adresse|direccion|indirizzo)\b|どこ|哪里/,
    "place",
  ],
];

/**
 * Reads a question in English, German, French, Spanish, Italian or Japanese; of Portuguese and Dutch it knows the usual
 * questions, of other languages few words.
 */
export function readQuestion(question: string): AskedQuestion {
  const text = question.slice(0, MAX_CHARS).replace(/\s+/g, " ").trim();
  const folded = foldText(text)
    .replace(/^[¿¡"“„«\s]+/, "")
    .replaceAll(/\bchildren\b/g, "child")
    .replaceAll(/(?<=\p{L})['’]s\b/gu, "")
    .replace(POLITE, "");
  const kind = kindOf(folded);
  const found = PROPERTIES.filter(({ pattern, kinds }) => kinds.includes(kind) && pattern.test(folded));
  const known = found.find(({ isDefault }) => isDefault !== true) ?? found[0];
  // `How much does shipping cost?` names a property and the verb of its kind.
  const asking = [known, found.find(({ isDefault }) => isDefault === true)].flatMap((each) => each?.pattern ?? []);
  const left = asking.reduce((rest, pattern) => rest.replaceAll(new RegExp(pattern, "gu"), " "), folded);
  const words = subjectOf(left);
  // The author of a page about a book is not the author of the book.
  const isPage = words.length === 1 && PAGE_NOUNS.has(words[0] ?? "") && known?.names[0] !== "author";
  const subject = isPage ? [] : words;
  const isNamed = namesIn(text);
  // `When was it designed?` asks for a property that has no name here: the verb is part of the subject.
  const isUnknown = known?.isDefault === true && kind !== "price" && subject.length > 0;
  return {
    text,
    kind,
    properties: isUnknown ? [] : (known?.names ?? []),
    mentions: isUnknown ? [] : (known?.mentions ?? []),
    subject,
    names: subject.filter((word) => isNamed.has(word)),
  };
}

function kindOf(folded: string): AnswerKind {
  if (SUMMARY.test(folded)) return "summary";
  if (YES_NO.test(folded)) return "yes-no";
  return KINDS.find(([pattern]) => pattern.test(folded))?.[1] ?? "passage";
}

/** Returns the words that are neither scaffolding of the question nor the page itself. */
function subjectOf(folded: string): string[] {
  const words =
    withoutPage(folded)
      .replaceAll(JAPANESE_SCAFFOLDING, " ")
      .match(/[\p{L}\p{N}]+(?:[-.'’][\p{L}\p{N}]+)*/gu) ?? [];
  return [...new Set(words.filter((word) => !SCAFFOLDING.has(word) && !/^\p{L}$/u.test(word)))].slice(0, 30);
}

/** Removes `this page`, `this bike`: the caller points at the page, whatever it calls its subject. */
function withoutPage(folded: string): string {
  return folded
    .replaceAll(
      /\b(?:this|these|diese[rsnm]?|cette|cet|ce|este|esta|estas|estos|questo|questa)\s+(?!is\b|are\b)\p{L}+/gu,
      " ",
    )
    .replaceAll(/\b(?:l|d|qu|s|c|dell|all|un)['’]/g, " ");
}

/** Returns the folded words of a question that are written as names, except its first. */
function namesIn(text: string): ReadonlySet<string> {
  const words = [...text.matchAll(/[\p{L}\p{N}]+(?:[-.'’][\p{L}\p{N}]+)*/gu)];
  const named = words.filter(([word], index) => /\p{N}/u.test(word) || (index > 0 && /^\p{Lu}/u.test(word)));
  return new Set(named.map(([word]) => foldText(word).replace(/['’]s$/, "")));
}
