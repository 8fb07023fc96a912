import { NOW_MS } from "../../../contracts/search-provider.ts";
import type { Http } from "../../../../src/ports/outbound/http.ts";
import type { ProviderWeb } from "../../../../src/search/ask.ts";
import { fixedClock } from "../../fixed-clock.ts";

export const baseUrl = "https://provider.example";
export const key = "secret-key";
export const web = (http: Http): ProviderWeb => ({ http, clock: fixedClock(NOW_MS), userAgent: "Test", ownHosts: [] });

export const BELL = {
  url: "https://harrow.example/bell",
  title: "The bell of Harrow",
  description: "The harbour bell was cast in 1821.",
};
export const SEA = { url: "https://bells.example/sea", title: "Bells at sea", description: "How bells warn ships." };
export const NEWS = {
  url: "https://news.example/bell",
  title: "Harbour bell rings again",
  description: "After eighty years.",
};
export const PICTURE = {
  url: "https://harrow.example/gallery",
  title: "Bell",
  description: "",
  imageUrl: "https://harrow.example/bell.jpg",
  imageWidth: 1600,
  imageHeight: 1066,
};
