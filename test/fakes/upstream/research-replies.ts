/** Replies of a made-up OpenAlex, arXiv, Crossref, PubMed and GitHub, by the path after the provider's address. */
export function researchReply(provider: string, path: string): { type: string; body: string } | undefined {
  const { pathname, searchParams } = new URL(path, "http://provider.example");
  const json = (value: object) => ({ type: "application/json", body: JSON.stringify(value) });
  const xml = (body: string) => ({ type: "application/xml", body });
  if (provider === "openalex" && pathname === "/works") return json(openalexList(searchParams.get("filter") ?? ""));
  if (provider === "openalex" && OPENALEX_KEYS.has(pathname)) return json(BELL_WORK);
  if (provider === "arxiv" && pathname === "/api/query") return xml(arxivFeed(searchParams));
  if (provider === "crossref" && pathname === "/works") return json({ status: "ok", message: { items: CROSSREF } });
  if (provider === "pubmed" && pathname.endsWith("/esearch.fcgi"))
    return json({ esearchresult: { idlist: ["40953549"] } });
  if (provider === "pubmed" && pathname.endsWith("/efetch.fcgi"))
    return xml(searchParams.get("db") === "pmc" ? PMC_ARTICLE : PUBMED_ARTICLE);
  if (provider === "github" && pathname === "/search/issues") return json(githubThreads(searchParams.get("q") ?? ""));
  if (provider === "github" && pathname === "/search/repositories") return json({ items: [BELL_REPOSITORY] });
  if (provider === "github" && pathname === "/repos/harrow/bell/readme")
    return { type: "text/plain", body: "# bell\n\nSet `retries` to repeat a ring that failed.\n" };
  if (provider === "gov-uk" && pathname === "/api/search.json") return json({ results: GOV_UK });
  if (provider === "federal-register" && pathname === "/api/v1/documents.json")
    return json({ count: 1, results: FEDERAL_REGISTER });
  if (provider === "hacker-news" && pathname.startsWith("/api/v1/")) return json({ hits: STORIES });
  return undefined;
}

const GOV_UK = [
  { title: "Harbour bells: guidance", link: "/guidance/harbour-bells", description: "When a bell must ring." },
];
const FEDERAL_REGISTER = [
  {
    title: "Safety Zone; Bell Harbor",
    html_url: "https://www.federalregister.gov/documents/2025/03/04/1/bell",
    abstract: "A safety zone.",
    publication_date: "2025-03-04",
  },
];
const STORIES = [
  { objectID: "1", title: "Bells", url: "https://bells.example/", points: 9, num_comments: 1 },
  { objectID: "2", title: "The bell of the house", url: "https://www.whitehouse.gov/bell", points: 3, num_comments: 1 },
];

const ABSTRACT = { We: [0], measure: [1], how: [2], far: [3], a: [4], bell: [5], carries: [6], over: [7], water: [8] };

const BELL_WORK = {
  id: "https://openalex.org/W100",
  doi: "https://doi.org/10.48550/arXiv.2503.01234",
  display_name: "Acoustics of the harbour bell",
  publication_date: "2025-03-04",
  updated_date: "2026-01-02T00:00:00",
  ids: { pmid: null, pmcid: null },
  authorships: [{ author: { display_name: "Edith Marrow" } }, { author: { display_name: "Jonas Pell" } }],
  abstract_inverted_index: ABSTRACT,
  best_oa_location: { pdf_url: null, landing_page_url: "https://arxiv.org/abs/2503.01234" },
  cited_by_count: 99,
  referenced_works: ["https://openalex.org/W300"],
};

const TIDE_WORK = {
  id: "https://openalex.org/W200",
  doi: "https://doi.org/10.1000/tides",
  display_name: "Tides and the range of bells over water",
  publication_date: "2024-05-06",
  authorships: [{ author: { display_name: "Ada Quay" } }],
  abstract_inverted_index: { Sound: [0], over: [1], water: [2] },
  cited_by_count: 9,
  referenced_works: ["https://openalex.org/W100"],
};

const MILL_WORK = { ...TIDE_WORK, id: "https://openalex.org/W201", doi: "https://doi.org/10.1000/mills",
  display_name: "Mills of the northern coast", abstract_inverted_index: null, referenced_works: [] }; // prettier-ignore

const OPENALEX_KEYS = new Set(["/works/W100", "/works/doi:10.48550/arxiv.2503.01234"]);

function openalexList(filter: string): object {
  if (/^(?:cites|related_to|cited_by):W100$/.test(filter))
    return { meta: { count: 2 }, results: [MILL_WORK, TIDE_WORK] };
  return { meta: { count: 2 }, results: [BELL_WORK, TIDE_WORK] };
}

const ARXIV_ENTRY = `<entry><id>http://arxiv.org/abs/2503.01234v2</id><updated>2025-03-10T00:00:00Z</updated>
  <published>2025-03-04T10:00:00Z</published><title>Acoustics of the harbour bell</title>
  <summary>We measure how far a bell carries over water, and how the echo returns from the mole.</summary>
  <author><name>Edith Marrow</name></author><author><name>Jonas Pell</name></author>
  <category term="physics.class-ph"/></entry>`;

function arxivFeed(parameters: URLSearchParams): string {
  const id = parameters.get("id_list");
  const entry = id === null || id === "2503.01234" ? ARXIV_ENTRY : "";
  return `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">${entry}</feed>`;
}

const CROSSREF = [
  {
    DOI: "10.1000/TIDES",
    title: ["Tides and the range of bells over water"],
    author: [{ given: "Ada", family: "Quay" }],
    issued: { "date-parts": [[2024, 5, 6]] },
    "is-referenced-by-count": 9,
  },
];

const PUBMED_ARTICLE = `<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>40953549</PMID>
  <Article><Journal><JournalIssue><PubDate><Year>2025</Year><Month>Sep</Month></PubDate></JournalIssue></Journal>
  <ArticleTitle>Hearing loss among <i>bell</i> ringers</ArticleTitle>
  <Abstract><AbstractText Label="AIM">To hear.</AbstractText><AbstractText>Ringers hear less.</AbstractText></Abstract>
  <AuthorList><Author><LastName>Marrow</LastName><ForeName>Edith</ForeName></Author></AuthorList></Article>
  </MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">40953549</ArticleId>
  <ArticleId IdType="pmc">PMC12530322</ArticleId></ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>`;

const PMC_ARTICLE = `<?xml version="1.0"?><pmc-articleset><article><body><sec><title>Methods</title>
  <p>We asked forty ringers about their ears.</p><p>Their <bold>earplugs</bold> were of wax and cotton.</p>
  </sec></body></article></pmc-articleset>`;

const BELL_REPOSITORY = {
  full_name: "harrow/bell",
  html_url: "https://github.com/harrow/bell",
  description: "Rings bells",
  stargazers_count: 321,
  license: { spdx_id: "MIT" },
};

function githubThreads(query: string): object {
  const kind = query.includes("is:issue") ? "issues" : "pull";
  const number = kind === "issues" ? 7 : 8;
  const item = {
    html_url: `https://github.com/harrow/bell/${kind}/${number}`,
    number,
    title: kind === "issues" ? "The bell rings twice" : "Ring the bell once",
    body: "At noon the bell rings twice. A **retry** rings it again.",
    repository_url: "https://api.github.com/repos/harrow/bell",
  };
  return { items: [item] };
}
