import type { AnswerKind } from "./answer-kind.ts";

/** A property that questions ask for. */
export interface AskedProperty {
  /** Finds the property in a folded question. */
  pattern: RegExp;
  kinds: readonly AnswerKind[];
  /** Names of the property for `findValue`, best first. */
  names: string[];
  /** Folded beginnings of words by which a text mentions the property. */
  mentions: string[];
  /** True for the property of a kind when the question names none. */
  isDefault?: boolean;
}

const WHEN = ["date"] as const;
const WHO = ["name", "passage"] as const;
const COUNT = ["number"] as const;
const ANY = ["passage", "name", "place", "number", "date"] as const;

const property = (
  kinds: readonly AnswerKind[],
  pattern: RegExp,
  names: string[],
  mentions: string[] = names,
): AskedProperty => ({ kinds, pattern, names, mentions });

/** The properties of questions, by the words of five languages. */
export const PROPERTIES: readonly AskedProperty[] = [
  property(["price"], /\b(?:monthly rent|rent|miete|loyer|alquiler|affitto)\b/u, ["rent", "price"], ["rent", "miete", "loyer", "alquiler", "affitto"]),
  property(["price"], /\b(?:shipping|delivery|versand|livraison|envio|spedizione)\b(?=.*)/u, ["shipping cost", "shipping"], ["shipping", "delivery", "versand", "livraison", "envio", "spedizione"]),
  property(["price"], /\b(?:original|old|regular|list|previous|former) price\b/u, ["old price"], ["was", "original", "regular", "rrp", "uvp", "statt", "instead"]),
  { ...property(["price"], /\b(?:current |sale |full |retail )?(?:pric(?:e|es|ed|ing)|costs?|preise?s?|kostet|kosten|prix|coute(?:nt)?|cout|precios?|cuestan?|vale|prezz[io]|costan?o?|preco|custa|prijs|kost|fees?|fares?|tuition|how much|expensive|teuer)\b|いくら|価格|値段|多少钱|价格/u, ["price"], ["price", "pricing", "cost", "fee", "fare", "preis", "kost", "prix", "tarif", "cout", "precio", "cuesta", "vale ", "prezzo", "costa", "preco", "$", "usd", "価格", "値段", "料金"]), isDefault: true },
  property(["email"], /\be-?mails?(?: address)?\b|\bmail address\b|\bcorreo(?: electronico)?\b|\bcourriel\b/u, ["email"], ["@", "mail"]),
  property(["phone"], /\b(?:tele)?phone(?: number)?\b|\btelefon(?:nummer)?\b|\btelefono\b|\bnumero de tele(?:phone|fono)\b/u, ["phone"], ["phone", "tel", "call"]),
  property(["name", "passage"], /\b(?:wrote|written|writes|author(?:s|ed)?|by whom|writer|geschrieben|schrieb|autor(?:in|en)?|verfasser(?:in)?|verfasst|auteure?s?|ecrit|autora?|escribio|escrito|autore|autrice|scritto|ha scritto|posted|published by)\b|著者|作者|筆者|執筆|書(?:き|い|か)/u, ["author"], ["author", "written by", "by ", "wrote", "autor", "von ", "par ", "auteur", "por ", "autore", "di ", "著者", "作者", "筆者", "執筆"]),
  property(WHO, /\b(?:teaches|taught|teach|instructors?|teachers?|unterrichtet|dozent(?:in)?|enseigne|ensena|insegna)\b/u, ["instructor"], ["taught by", "instructor", "teacher", "led by", "dozent", "enseign"]),
  property(WHO, /\b(?:founded|founders?|started|created|gegrundet|grunder|fonde|fondateur|fundo|fundador(?:es)?|fondato|fondatore)\b/u, ["founder", "creator"], ["found", "establish", "created", "grund", "fond", "fund"]),
  property(WHO, /\b(?:ceo|chief executive(?: officer)?|managing director|geschaftsfuhrer(?:in)?|pdg|director general|amministratore delegato)\b/u, ["ceo"], ["ceo", "chief executive", "managing director", "geschaftsfuhrer", "pdg", "director general"]),
  property(WHO, /\b(?:brand|manufacturer|makes|made|manufactures|marke|hersteller|stellt her|marque|fabricant|marca|fabricante|produttore)\b/u, ["brand", "manufacturer"], ["brand", "manufactur", "made by", "marke", "hersteller", "marque", "fabricant", "marca", "produttore"]),
  property(WHO, /\b(?:published|publishes|publisher|verlag|editeur|editorial|editore)\b/u, ["publisher"], ["publish", "verlag", "edit"]),
  property(WHO, /\b(?:company|employer|hiring|hires|firma|unternehmen|arbeitgeber|entreprise|empresa|azienda)\b/u, ["company", "hiring organization", "publisher"], ["company", "employer", "firma", "entreprise", "empresa", "azienda"]),
  property(WHO, /\b(?:organi[sz]er|organi[sz]es|organi[sz]ing|hosts?|hosted|veranstalter|organisateur|organizador|organizzatore)\b/u, ["organizer"], ["organi", "host", "veranstalt"]),
  property(WHO, /\b(?:directed|director|regie|regisseur|realisateur|director de|regista)\b/u, ["director"], ["direct", "regi", "realis"]),
  property(WHEN, /\b(?:(?:last )?(?:updated|modified|revised|changed|edited)|aktualisiert|geandert|mis(?:e)? a jour|actualizad[oa]|actualizo|aggiornat[oa])\b/u, ["date modified"], ["updated", "modified", "revised", "aktualisiert", "mis a jour", "mise a jour", "actualiza", "aggiornat"]),
  property(WHEN, /\b(?:published|posted|released?|publication|written|issued|veroffentlicht|erschien(?:en)?|publiee?|parue?|publicad[oa]|publico|pubblicat[oa]|gepubliceerd|verschenen)\b|公開/u, ["date published", "release date"], ["publish", "posted", "release", "issued", "veroffentlicht", "erschienen", "publie", "publicad", "pubblicat", "公開"]),
  property(WHEN, /\b(?:founded|established|gegrundet|grundung|fondee?|creee?|fundad[oa]|fundo|fondat[oa])\b/u, ["founded"], ["found", "establish", "since", "gegrundet", "seit", "fonde", "cree", "fundad", "fondat"]),
  property(WHEN, /\b(?:born|birthday|birth ?date|date of birth|geboren|nee?|naissance|nacio|nacimiento|nat[oa])\b/u, ["birthdate"], ["born", "birth", "geboren", "nacio", "nato", "nata", "nee"]),
  property(WHEN, /\b(?:died|die|death|gestorben|starb|mort|murio|morto)\b/u, ["deathdate"], ["died", "death", "gestorben", "mort", "murio"]),
  property(WHEN, /\b(?:deadline|closing date|due|apply by|applications? close|bewerbungsfrist|frist|date limite|fecha limite|scadenza)\b/u, ["deadline"], ["deadline", "closing", "due", "until", "apply by", "close", "frist", "date limite", "fecha limite", "scadenza"]),
  property(WHEN, /\b(?:ends?|finish(?:es)?|over|endet|finit|termina|finisce)\b/u, ["end date"], ["end", "until", "finish", "bis", "jusqu", "hasta", "fino"]),
  property(WHEN, /\b(?:opens?|open|opening(?: hours)?|geoffnet|offnet|ouvert|ouvre|abre|abierto|apre|aperto)\b/u, ["opening hours"], ["open", "hours", "offn", "ouv", "abier", "abre", "horario", "apert"]),
  property(WHEN, /\b(?:starts?|begins?|takes? place|happens?|held|beginnt|stattfinde[nt]?|findet statt|commence|a lieu|empieza|comienza|inizia|event date)\b/u, ["start date"], ["start", "begin", "take place", "takes place", "held", "date", "when", "beginn", "statt", "lieu", "empieza", "inicio", "inizia"]),
  { ...property(WHEN, /\b(?:date|datum|fecha|data|day|year)\b|日付/u, ["date"], ["date", "datum", "fecha", "data"]), isDefault: true },
  property([...COUNT, "passage"], /\b(?:rating|rated|stars?|score|bewertung|note|valoracion|punteggio)\b/u, ["rating"], ["rating", "rated", "star", "score", "bewertung", "note", "valoracion"]),
  property(COUNT, /\b(?:reviews?|ratings|bewertungen|avis|opiniones|recensioni)\b/u, ["reviews", "review count"], ["review", "rating", "bewertung", "avis", "opinion", "recension"]),
  property(COUNT, /\b(?:weighs?|weight|heavy|wiegt|gewicht|schwer|pese|poids|pesa|peso)\b/u, ["weight"], ["weigh", "weight", "gewicht", "wiegt", "poids", "pese", "peso", "pesa"]),
  property(COUNT, /\b(?:tall|height|high|hoch|hohe|hauteur|altura|altezza)\b/u, ["height"], ["tall", "height", "high", "hoch", "hohe", "hauteur", "altura", "altezza"]),
  property(COUNT, /\b(?:wide|width|breit|breite|largeur|anchura|ancho|larghezza)\b/u, ["width"], ["wide", "width", "breit", "largeur", "anch", "larg"]),
  property(COUNT, /\b(?:how long does (?:it )?take|how long|take|lasts?|duration|dauert|dauer|dure|duree|dura|duracion|durata|wie lange?)\b/u, ["duration", "total time"], ["long", "take", "last", "duration", "dauer", "dure", "dura"]),
  property(COUNT, /\b(?:employees|staff|people work|work (?:for|at)|mitarbeiter(?:innen)?|employes|empleados|dipendenti)\b/u, ["employees"], ["employ", "staff", "people", "mitarbeiter", "emplea", "dipendent"]),
  property(COUNT, /\b(?:inhabitants|population|people live|residents|einwohner|habitants|habitantes|poblacion|abitanti)\b/u, ["population"], ["inhabitant", "population", "resident", "people", "einwohner", "habitant", "poblacion", "abitant"]),
  property(COUNT, /\b(?:pages|seiten|paginas|pagine)\b/u, ["number of pages"], ["page", "seiten", "pagin"]),
  property(COUNT, /\b(?:calories|kcal|kalorien|calorias|calorie)\b/u, ["calories"], ["calorie", "kcal", "kalorie", "caloria"]),
  property(COUNT, /\b(?:servings?|serves|portions?|portionen|raciones|porciones|porzioni|personnes|personas|persone)\b/u, ["servings"], ["serving", "serves", "portion", "racion", "porcion", "porzion", "personnes", "personas"]),
  property(COUNT, /\b(?:bedrooms|schlafzimmer|chambres|dormitorios|camere)\b/u, ["bedrooms"], ["bedroom", "schlafzimmer", "chambre", "dormitorio", "camere"]),
  property(["yes-no"], /\b(?:in stock|available|availability|sold out|out of stock|auf lager|vorratig|verfugbar|lieferbar|ausverkauft|en stock|disponible|agotado|disponibile|esaurito)\b/u, ["availability"], ["stock", "available", "sold out", "lager", "vorratig", "verfugbar", "lieferbar", "ausverkauft", "disponib", "agotado", "esaurito"]),
  property(["place", "passage"], /\b(?:address|adresse|anschrift|direccion|indirizzo)\b/u, ["address"], ["address", "adresse", "anschrift", "direccion", "indirizzo"]),
  { ...property(["place"], /\b(?:where|wo|ou|donde|dove|located|location|take place|held|based|headquarters|headquartered)\b/u, ["location", "address"], ["location", "located", "based", "headquarter", "venue", "address", "in ", "at "]), isDefault: true },
  property(ANY, /\b(?:isbn)\b/u, ["isbn"]),
  property(ANY, /\b(?:sku|item number|article number|artikelnummer|product code|model number)\b/u, ["sku"], ["sku", "item", "artikelnummer", "code", "model"]),
  property(ANY, /\b(?:material|made of|made from|matiere|materiau|materiale)\b/u, ["material"], ["material", "made of", "made from"]),
  property(ANY, /\b(?:colou?rs?|farben?|couleurs?|colore?s?|colori)\b/u, ["color"], ["color", "colour", "farbe", "couleur"]),
  property(ANY, /\b(?:salary|pay|wage|gehalt|lohn|salaire|salario|stipendio)\b/u, ["salary"], ["salary", "pay", "wage", "compensation", "gehalt", "lohn", "salaire", "salario", "stipendio"]),
  property(ANY, /\b(?:warranty|guarantee|garantie|garantia|garanzia)\b/u, ["warranty"], ["warranty", "guarantee", "garant"]),
  property(ANY, /\b(?:opening hours|opening times|business hours|offnungszeiten|horaires|horario|orari)\b/u, ["opening hours"], ["open", "hours", "offnungszeit", "horair", "horario", "orari"]),
  property(ANY, /\b(?:title|headline|titel|titre|titulo|titolo)\b/u, ["title"], ["title"]),
  property(ANY, /\b(?:job title|position|role|stelle|poste|puesto)\b/u, ["job title"], ["position", "role"]),
  property(ANY, /\b(?:category|section|genre|kategorie|rubrik|categorie|categoria)\b/u, ["category"], ["category", "section", "genre", "kategorie", "categor"]),
  property(ANY, /\b(?:version)\b/u, ["version"]),
  property(ANY, /\b(?:licen[sc]e|lizenz|licencia|licenza)\b/u, ["license"], ["licen", "lizenz"]),
  property(ANY, /\b(?:ingredients|zutaten|ingredientes|ingredienti)\b/u, ["ingredients"], ["ingredient", "zutat"]),
]; // prettier-ignore

/** Folded nouns by which a question may call whatever the page is about: `How much is the course?` */
export const PAGE_NOUNS: ReadonlySet<string> = new Set(
  "course seminar workshop class book game event recipe job movie film house apartment flat car bike software app program service device tool kurs buch spiel veranstaltung rezept stelle haus wohnung auto livre cours jeu recette maison libro curso juego receta casa coche corso gioco ricetta".split(
    " ",
  ),
);

/** The same in Japanese, which has no spaces between words: verbs and particles around the words that carry the question. */
export const JAPANESE_SCAFFOLDING =
  /(?:を)?(?:教えて|おしえて|示して|知らせて)?(?:ください|下さい)|(?:この|その|こちらの)(?:記事|ページ|商品|製品|サイト)?|(?:これ|それ)|(?:され|し)?(?:ましたか|ますか|ました|ます)|(?:でしょうか|ですか|でした|です)|(?:誰|だれ|何|なに|いつ|どこ|どなた)|(?<=[\p{Script=Han}\p{Script=Katakana}ー]|^|\s)(?:とは|には|では|は|が|の|を|に|で|も|へ)(?=[\p{Script=Han}\p{Script=Katakana}]|\s|[?？。、]|$)/gu; // prettier-ignore

/** Folded words that carry a question, or that mean the page itself. */
export const SCAFFOLDING: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been being but by can could did do does for from had has have how i if in into is it its me much many my no not of on or our " +
    "should so than that the their them then there these they this those to was we were what what's whats when where which who who's whom whose why will with would you your " +
    "about according also any by called currently exactly give going get kind many mention mentioned name named names please say says show stated states tell there they times total used " +
    "pay pays paid story stories news report review essay interview guide tutorial paper entry beitrag bericht meldung nachricht billet noticia entrada page pages article articles site website web webpage post posts text document thread blog item items product products listing entry thing here one ones cost costs " +
    "old tall high long large big heavy wide deep far fast time date day year month amount number value " +
    "aber als am an auf aus bei das dem den der des die diese dieser dieses dieser ein eine einem einen einer er es fur gibt hat haben hier hoch ich ihr im in ist lange mit nach nicht oder seite sich sie sind um und viel viele vom von vor wann war warum was welche welchen welcher welches wem wer werden wie wieviel wird wo wurde zu zum zur artikel produkt text heisst steht " +
    "au aux avec ce ces cet cette combien comment dans de des du elle en est est-ce et il ils l la le les leur mais ne nous ou par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi sa se ses son sont sur un une vous a-t-il a-t-elle a-t-on est-il est-elle t produit page s'appelle ete avez " +
    "al como con cual cuales cuando cuanto cuanta cuantos cuantas de del donde el ella en entre es esta estan este fue ha hay la las lo los mas o para pero por porque que quien quienes se ser si sin sobre son su sus tiene un una y pagina articulo producto se llama " +
    "al allo alla che chi ci come con cosa da dal della dei delle di dove e gli ha il in l la le lo nel nella per perche qual quale quali quando quanto quanta quanti quante questo si sono stata stato su un una uno articolo prodotto pagina " +
    "ao aos as com da das do dos em esta foi isto isso na no nos nas o os ou pagina para pela pelo produto quais qual quem quantas quantos sobre uma " +
    "aan deze dit een en er gaat het hoe hoeveel ik met naar niet of om ons op over te van voor wanneer waar waarom wat welke werd wie wordt zijn pagina"
  ).split(" "),
);
