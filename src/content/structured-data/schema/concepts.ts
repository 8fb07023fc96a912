import { foldText } from "../../../core/search/words.ts";

/**
 * Words with the same meaning in names of properties and on pages, in the most frequent languages of pages. The first
 * of a line is the name of the concept. Words of several languages are in folded form (`core/search/words.ts`).
 */
const LINES = `
name|title|headline|heading|nom|nombre|nome|naam|bezeichnung|titel|titre|titulo|titolo|namn|名前|名称|タイトル|商品名
price|cost|amount|preis|prix|precio|prezzo|prijs|preco|pris|cena|kosten|fee|tarif|fare|admission|eintritt|価格|値段|料金
currency|wahrung|devise|moneda|valuta|moeda|通貨
sku|artikelnummer|artikel nr|item number|product code|item code|article number|part number|model number|reference|referenz|referencia|ref|bestellnummer|artnr|品番
brand|manufacturer|marke|hersteller|marque|fabricant|marca|fabricante|merk|make|ブランド|メーカー
description|summary|abstract|about|overview|beschreibung|descripcion|descrizione|omschrijving|descricao|synopsis|blurb|説明|概要
author|writer|by|byline|autor|autorin|auteur|autore|escritor|written by|creator|verfasser|posted by|著者
editor|herausgeber|redactor
publisher|verlag|editeur|editorial|editorial house|editore|uitgever|editora|imprint|site name|出版社
published|date published|publication date|publish date|release date|released|publication|published on|posted|date posted|posted on|published at|veroffentlicht|veroffentlicht am|erschienen|erscheinungsdatum|datum|date|fecha|data|publie le|publicado|fecha de publicacion|created|date created|公開日|発売日|日付
modified|date modified|updated|last updated|last modified|aktualisiert|stand|mis a jour|actualizado|aggiornato|更新日
deadline|closing date|application deadline|apply by|closes|bewerbungsfrist|bewerbungsschluss|valid through|date limite|fecha limite|scadenza|締切
start|start date|starts|begin|begins|beginn|date start|from|startdatum|debut|inicio|inizio|開始|door time
end|end date|ends|ende|until|fin|fine|closes on|enddatum|終了
time|uhrzeit|heure|hora|ora|時間
location|place|venue|ort|lieu|lugar|luogo|ubicacion|locatie|veranstaltungsort|standort|arbeitsort|sede|local|場所|会場|勤務地
address|anschrift|adresse|direccion|indirizzo|adres|endereco|street address|住所|所在地
street|strasse|street address|rue|calle|via
city|town|locality|address locality|stadt|ville|ciudad|citta|cidade|plaats|市
region|state|province|address region|county|bundesland|provincia
postcode|postal code|zip|zip code|plz|postleitzahl|code postal|codigo postal|cap|郵便番号
country|land|pays|pais|paese|address country|国
phone|telephone|tel|telefon|telefono|telefone|telefoon|phone number|call us|call|mobile|電話|電話番号
email|e mail|mail|email address|courriel|correo|correo electronico|メール
fax|telefax
website|homepage|web|web site|site web|sitio web|webseite|internet
url|link|href|permalink|canonical|address of page
image|photo|picture|img|thumbnail|bild|foto|photograph|image url|写真
rating|score|stars|rating value|bewertung|note|valoracion|aggregate rating|average rating|punteggio|評価
reviews|review count|rating count|number of reviews|bewertungen|anzahl bewertungen|avis|ratings|votes|opiniones|recensioni|件数
availability|in stock|stock|available|verfugbarkeit|verfugbar|lagernd|disponibilite|disponibilidad|disponibile|stock status|lieferbar|在庫
condition|zustand|etat|estado|condizione|item condition
color|colour|farbe|couleur|farben|kleur|colore|cor|色
size|grosse|taille|talla|tamano|maat|taglia|サイズ
weight|gewicht|poids|peso|vikt|重量|重さ
height|hohe|hauteur|altura|alto|hoogte|altezza|高さ
width|breite|largeur|anchura|ancho|breedte|larghezza|幅
depth|tiefe|profondeur|profundidad|diepte
length|lange|longueur|longitud|lengte|lunghezza
dimension|dimensions|masse|abmessungen|dimensiones|dimensioni|afmetingen|寸法
material|materiau|materiale|materiaal|stoff|素材
category|kategorie|categorie|categoria|genre|rubrik|section|department|abteilung|topic|カテゴリ
tag|keyword|schlagwort|etiqueta|mot cle|label
warranty|guarantee|garantie|garantia|garanzia|保証
language|sprache|langue|idioma|lingua|taal|in language|言語
isbn|isbn13|isbn 13
gtin|ean|barcode|gtin13|upc|jan
pages|number of pages|page count|seiten|seitenzahl|nombre de pages|paginas|pagine|umfang|ページ数
edition|auflage|edicion|edizione|book edition
format|binding|einband|encuadernacion|book format|bindung
organization|corporation|local business|company|employer|firm|hiring organization|organisation|arbeitgeber|unternehmen|firma|entreprise|empresa|azienda|societe|site name|会社|会社名
salary|pay|wage|compensation|gehalt|salaire|salario|stipendio|base salary|remuneration|vergutung|lohn|salarisindicatie|給与|年収
employment|employment type|job type|contract type|contract|beschaftigungsart|vertragsart|anstellungsart|type de contrat|tipo de contrato|contratto|dienstverband|arbeitszeit|雇用形態
position|role|job title|stelle|poste|puesto|posizione|functie|occupation|職種
experience|erfahrung|experiencia|esperienza|experience requirements
education|ausbildung|qualification|degree|education requirements
requirement|requirements|anforderungen|voraussetzungen|requisitos|requisiti|what you bring|your profile|you have|ihr profil|qualifications|応募資格
responsibility|responsibilities|duties|aufgaben|what you will do|ihre aufgaben|funciones|compiti
benefit|benefits|perks|wir bieten|what we offer|we offer|job benefits|beneficios|vantaggi|福利厚生
skill|skills|fahigkeiten|competences|habilidades|competenze|knows about
ingredient|ingredients|recipe ingredient|zutat|zutaten|ingrediente|ingredientes|ingredienti|ingredienten|材料
instruction|instructions|recipe instructions|steps|step|method|directions|zubereitung|preparation|anleitung|etapes|elaboracion|preparacion|pasos|procedimento|bereiding|作り方
serving|servings|yield|yields|recipe yield|portionen|portions|serves|raciones|porciones|porzioni|dosi|pour|makes|porties|人数|分量
preptime|prep time|preparation time|vorbereitungszeit|vorbereitung|temps de preparation|tiempo de preparacion|tempo di preparazione
cooktime|cook time|cooking time|kochzeit|backzeit|garzeit|temps de cuisson|tiempo de coccion|tempo di cottura|baking time
totaltime|total time|gesamtzeit|temps total|tiempo total|tempo totale|ready in
calorie|calories|kcal|kalorien|energy|calorias|calorie per porzione|brennwert
cuisine|recipe cuisine|kuche|cocina|cucina
difficulty|schwierigkeit|schwierigkeitsgrad|difficulte|dificultad|difficolta|level|難易度
duration|dauer|duree|duracion|durata|runtime|running time|length of time|laufzeit|所要時間
organizer|organiser|host|veranstalter|organisateur|organizador|organizzatore|hosted by|presented by|主催
performer|artist|speaker|act|lineup|kunstler|artiste|artista|referent|出演
capacity|kapazitat|capacidad|maximum attendee capacity|places available
founder|founders|grunder|gegrundet von|fondateur|fundador|fondatore|founded by|創業者
founded|founding date|founding year|year founded|established|est|gegrundet|grundungsjahr|grundung|fonde|fondee en|fundada|fundacion|fondata|fondazione|since|founded in|設立
employee|employees|number of employees|staff|mitarbeiter|mitarbeiterzahl|headcount|effectif|empleados|dipendenti|team size|従業員数
revenue|turnover|umsatz|chiffre d affaires|ingresos|fatturato|annual revenue|売上高
industry|branche|sector|secteur|settore|business|業種
headquarters|hauptsitz|firmensitz|sitz|siege|siege social|head office|sede principal|sede legale|sede central|本社
ceo|chief executive|geschaftsfuhrer|managing director|director general|amministratore delegato|pdg|代表取締役
legalname|legal name|firmenname|registered name|raison sociale|ragione sociale|razon social
vat|vat id|vat number|ust id|ust idnr|umsatzsteuer id|tva|partita iva|p iva|nif|cif
registration|registration number|company number|handelsregister|hrb|register number|siren|siret
jobtitle|job title|position|role|occupation|beruf|funktion|fonction|cargo|qualifica|役職
affiliation|works for|university|institution|affiliation name
birthdate|born|date of birth|birth date|geboren|geburtsdatum|ne le|nee le|nacimiento|fecha de nacimiento|nato|data di nascita|生年月日
deathdate|died|date of death|death date|gestorben|mort le|fallecimiento|morto
birthplace|place of birth|birth place|geburtsort|lieu de naissance|lugar de nacimiento|luogo di nascita|出身地
nationality|staatsangehorigkeit|nationalite|nacionalidad|nazionalita|国籍
bedroom|bedrooms|beds|schlafzimmer|chambres|dormitorios|habitaciones|camere|number of bedrooms|slaapkamers|寝室
bathroom|bathrooms|baths|badezimmer|bader|salles de bain|banos|bagni|number of bathrooms
room|rooms|zimmer|pieces|number of rooms|vani|locali|間取り
area|floor size|living area|floor area|wohnflache|surface|superficie|flache|woonoppervlakte|square feet|sq ft|square metres|size of home|面積
rent|kaltmiete|miete|loyer|alquiler|affitto|monthly rent|賃料
deposit|kaution|caution|fianza|cauzione
mileage|odometer|kilometerstand|kilometrage|kilometraje|chilometraggio|走行距離
fuel|fuel type|kraftstoff|carburant|combustible|carburante|燃料
transmission|gearbox|getriebe|boite de vitesses|cambio|vehicle transmission
year|baujahr|annee|ano|anno|model year|年式
power|leistung|puissance|potencia|potenza
opening|opening hours|hours|offnungszeiten|horaires|horario|orari|horario de apertura|open|営業時間
pricerange|price range|preisklasse
speed|geschwindigkeit|vitesse|velocidad|velocita
capital|hauptstadt|capitale
population|einwohner|einwohnerzahl|poblacion|popolazione|habitants|人口
version|release|software version|バージョン
license|licence|lizenz|licencia|licenza
operatingsystem|operating system|betriebssystem|os|platform|対応os
downloads|installs|download count
serving size|portion size|portionsgrosse
instructor|teacher|dozent|lehrer|formateur|profesor|docente|tutor|taught by|講師
credit|credits|ects|credit points|ects points
prerequisite|prerequisites|vorkenntnisse|prerequis|requisitos previos|prerequisiti
id|identifier|number|nr|no|nummer|numero|番号
count|quantity|menge|anzahl|cantidad|quantita|数量
status|zustand der sache|state of things
old price|original price|was|regular price|list price|rrp|uvp|previous price|statt|strike price|precio anterior|prix barre
shipping|delivery|versand|livraison|envio|spedizione|verzending|lieferzeit|配送
text|body|review body|article body|content|comment text|review text
question|frage|pregunta|domanda
answer|antwort|reponse|respuesta|risposta|accepted answer
min|minimum|lowest|low|from value|min value
max|maximum|highest|high|max value
`;

/** Concepts of each phrase. A phrase that occurs in several lines has several. */
export const CONCEPTS: ReadonlyMap<string, readonly string[]> = readLines();

function readLines(): Map<string, string[]> {
  const concepts = new Map<string, string[]>();
  for (const line of LINES.trim().split("\n")) {
    const [concept = "", ...others] = line.split("|").map(foldText);
    for (const phrase of [concept, ...others]) {
      const known = concepts.get(phrase);
      if (known === undefined) concepts.set(phrase, [concept]);
      else if (!known.includes(concept)) known.push(concept);
    }
  }
  return concepts;
}
