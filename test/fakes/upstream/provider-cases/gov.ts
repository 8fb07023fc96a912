import { recorded, type ProviderCase } from "../../../contracts/search-provider.ts";
import { createFederalRegister } from "../../../../src/search/providers/gov/federal-register.ts";
import { createGovUk } from "../../../../src/search/providers/gov/gov-uk.ts";
import { baseUrl, web } from "./shared.ts";

/** Providers of governments. */
export const GOV_CASES: ProviderCase[] = [
  {
    name: "gov-uk",
    place: "gov",
    make: (http) => createGovUk(web(http), { baseUrl }),
    normal: [recorded("gov-uk-gov.json")],
    empty: [recorded("gov-uk-gov-empty.json")],
    hits: [
      {
        url: "https://www.gov.uk/guidance/harbour-bells",
        title: "Harbour bells: guidance",
        description: "When a harbour & its bell must ring.",
        date: "2025-03-04T10:00:00.000+00:00",
      },
      { url: "https://bells.service.gov.uk/", title: "Bells abroad", description: "" },
    ],
  },
  {
    name: "federal-register",
    place: "gov",
    make: (http) => createFederalRegister(web(http), { baseUrl }),
    normal: [recorded("federal-register-gov.json")],
    empty: [recorded("federal-register-gov-empty.json")],
    hits: [
      {
        url: "https://www.federalregister.gov/documents/2025/03/04/2025-01234/safety-zone-bell-harbor",
        title: "Safety Zone; Bell Harbor",
        description: "The Coast Guard is establishing a safety zone.",
        date: "2025-03-04",
      },
    ],
  },
];
