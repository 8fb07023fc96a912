/** A question about the made-up web. */
export interface MadeUpQuestion {
  prompt: string;
  /** Start pages; without them the web is searched. */
  urls?: string[];
  /** Form of the right answer; undefined when the web does not have it. */
  answer?: RegExp;
  /** True when the answer is a value: another value in its place is a wrong fact. */
  isValue: boolean;
}

const at = (host: string, path = "/"): string[] => [`https://${host}.example${path}`];
const value = (prompt: string, answer: RegExp, urls?: string[]): MadeUpQuestion => ({
  prompt,
  answer,
  isValue: true,
  ...(urls && { urls }),
});
const missing = (prompt: string, urls?: string[]): MadeUpQuestion => ({ prompt, isValue: true, ...(urls && { urls }) });
const open = (prompt: string, answer: RegExp, urls?: string[]): MadeUpQuestion => ({
  prompt,
  answer,
  isValue: false,
  ...(urls && { urls }),
});

/** Forty questions that the rules for answers were developed with. */
export const QUESTIONS: readonly MadeUpQuestion[] = [
  value("How much is a double room at Gullrock Inn?", /€118/, at("gullrock-inn")),
  value("What does a double room cost at Saltmarsh House?", /€149/, at("saltmarsh-house", "/prices")),
  value("What is the price of an adult return ticket of North Line?", /£15\.20/, at("north-line")),
  value("How much do children pay for the seal tour?", /£11(?!\d)/, at("south-line")),
  value("How much does the Heron touring bike cost?", /£1,290/),
  value("What is the price of LatheDB's Team plan?", /\$49/, at("lathe-db")),
  value("How much is admission for adults at Kelder Gallery?", /£14(?!\d)/),
  value("What does a berth for a boat cost per night in Tarn Bay?", /£26/),
  missing("How much is a ticket for teenagers at Bellwether Hall?", at("bellwether-hall")),
  missing("What does the parking at Kelder Gallery cost?", at("kelder-gallery")),
  value("When was North Line founded?", /1926/, at("north-line", "/about")),
  value("When does the new sauna of Saltmarsh House open?", /14 April 2027|2027-04-14/),
  value("When does the exhibition about the Amaranth open?", /6 March 2027|2027-03-06/, at("tarn-museum")),
  value("When did the Amaranth sink?", /11 November 1784|1784-11-11/),
  value("When was version 4.2 of LatheDB released?", /3 September 2026|2026-09-03/, at("lathe-db")),
  value("On what date do applications for the summer term at Halden University close?", /15 January 2027|2027-01-15/),
  value("When does the flu vaccination begin at Tarn Clinic?", /5 October 2026|2026-10-05/, at("tarn-clinic")),
  missing("When was the Skerra Queen built?", at("north-line")),
  missing("When does the Dusk Porter festival take place?", at("foxglove-brewery")),
  value("Who is the head chef of Gullrock Inn?", /Idris Calloway/, at("gullrock-inn")),
  value("Who founded Spoke & Anchor?", /Linnea Pascoe/),
  value("Who is the director of Tarn Bay Museum?", /Philippa Morrow/, at("tarn-museum")),
  value("Who is the mayor of Tarn Bay?", /Beatrix Olusola/),
  value("Who wrote the article about Storm Idris?", /Kwame Whitby/, at("harbour-gazette")),
  value("Who discovered Comet Hollis?", /Bruna Keller/),
  missing("Who is the chief accountant of Kittiwake Air?", at("kittiwake-air")),
  value("How many rooms does Gullrock Inn have?", /\b23\b/),
  value("How many passengers does the Skerra Queen carry?", /\b312\b/, at("north-line", "/figures")),
  value("What is the default port of LatheDB?", /\b7461\b/, at("lathe-db")),
  value("How many books does Tarn Bay Library hold?", /88,500/),
  value("How much alcohol does Dusk Porter have?", /6\.1/, at("foxglove-brewery")),
  value("How long does the flight from Halden to Skerra take?", /35 min/),
  missing("How many cooks work at Saltmarsh House?", at("saltmarsh-house")),
  value("Are dogs allowed at Saltmarsh House?", /^no\b/i, at("saltmarsh-house")),
  value("Does QuernDB support SQL?", /^no\b/i),
  value("Is a helmet included when I hire a bicycle at Spoke & Anchor?", /^yes\b/i, at("spoke-anchor")),
  missing("Is there a swimming pool at Gullrock Inn?", at("gullrock-inn")),
  value("What is the phone number of Tarn Clinic?", /960911/, at("tarn-clinic", "/contact")),
  open("What is Foxglove Brewery?", /five beers and a cider/, at("foxglove-brewery")),
  open("What happened to the mole in the storm?", /40 metres of the mole/, at("harbour-gazette")),
]; // prettier-ignore

/** Twenty questions that were set aside: the rules were not changed for them. */
export const HELD_OUT_QUESTIONS: readonly MadeUpQuestion[] = [
  value("How much is a suite at Saltmarsh House?", /€235/, at("saltmarsh-house")),
  value("What is the price of a year's subscription to the Harbour Gazette?", /£89/, at("harbour-gazette")),
  value("How much does a tour with tasting cost at Foxglove Brewery?", /£16/),
  value("What do adults pay at Puffin Point Aquarium?", /£17\.50/),
  missing("How much does a wedding at Gullrock Inn cost?", at("gullrock-inn")),
  value("When was Puffin Point Aquarium founded?", /1983/, at("puffin-aquarium")),
  value("When does the new swimming bath open?", /3 May 2027|2027-05-03/, at("tarn-council")),
  value("When did the wolf fish hatch?", /20 March 2026|2026-03-20/),
  missing("When was Kelder Gallery renovated?", at("kelder-gallery")),
  value("Who is the brewmaster of Foxglove Brewery?", /Tamsin Oduya/, at("foxglove-brewery", "/team")),
  value("Who is the architect of the new swimming bath?", /Solveig Marchbanks/),
  missing("Who is the landlord of Wheelhouse Cycles?", at("wheelhouse-cycles")),
  value("How many pipes does the organ of Bellwether Hall have?", /3,212/, at("bellwether-hall")),
  value("How high above the sea is Skerra Observatory?", /286/),
  value("How many inhabitants does Tarn Bay have?", /18,240/),
  missing("How many pilots does Kittiwake Air employ?", at("kittiwake-air")),
  value("Is parking free at Saltmarsh House?", /^yes\b/i, at("saltmarsh-house")),
  value("Can I take a surfboard on Kittiwake Air?", /^no\b/i),
  value("What is the email address of Spoke & Anchor?", /hire@spoke-anchor\.example/),
  open("What does Skerra Observatory do?", /watches the weather and the stars/, at("skerra-observatory")),
]; // prettier-ignore
