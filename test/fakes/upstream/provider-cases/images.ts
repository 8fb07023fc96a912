import { recorded, type ProviderCase } from "../../../contracts/search-provider.ts";
import { createOpenverse } from "../../../../src/search/providers/images/openverse.ts";
import { createWikimediaCommons } from "../../../../src/search/providers/images/wikimedia-commons.ts";
import { baseUrl, web, PICTURE } from "./shared.ts";

/** Providers of pictures alone. */
export const IMAGE_CASES: ProviderCase[] = [
  {
    name: "wikimedia-commons",
    place: "images",
    make: (http) => createWikimediaCommons(web(http), { baseUrl }),
    normal: [recorded("wikimedia-commons-images.json")],
    empty: [recorded("wikimedia-commons-images-empty.json")],
    hits: [
      {
        url: "https://commons.wikimedia.org/wiki/File:Harbour_bell.jpg",
        title: "Harbour bell",
        description: "",
        imageUrl: "https://upload.wikimedia.org/harbour_bell.jpg",
        imageWidth: 1600,
        imageHeight: 1066,
      },
      {
        url: "https://commons.wikimedia.org/wiki/File:Second_bell.png",
        title: "Second bell",
        description: "",
        imageUrl: "https://upload.wikimedia.org/second.png",
        imageWidth: 300,
        imageHeight: 200,
      },
    ],
  },
  {
    name: "openverse",
    place: "images",
    make: (http) => createOpenverse(web(http), { baseUrl }),
    normal: [recorded("openverse-images.json")],
    empty: [recorded("openverse-images-empty.json")],
    hits: [PICTURE],
  },
];
