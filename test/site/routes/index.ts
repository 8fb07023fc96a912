import type { Route } from "../exchange.ts";
import { accounts } from "./accounts.ts";
import { breakage } from "./breakage.ts";
import { compression } from "./compression.ts";
import { contentTypes } from "./content-types.ts";
import { control, routeList } from "./control.ts";
import { data } from "./data.ts";
import { delays } from "./delays.ts";
import { documents } from "./documents.ts";
import { echo } from "./echo.ts";
import { encodings } from "./encodings.ts";
import { maze } from "./maze.ts";
import { reading } from "./reading.ts";
import { redirects } from "./redirects.ts";
import { robots } from "./robots.ts";
import { scriptData } from "./script-data.ts";
import { scripted } from "./scripted.ts";
import { shop } from "./shop.ts";
import { signed } from "./signed.ts";
import { sitemaps } from "./sitemaps.ts";
import { sizes } from "./sizes.ts";
import { tree } from "./tree.ts";
import { walls } from "./walls.ts";

const listed: Route[] = [
  ...reading,
  ...shop,
  ...tree,
  ...maze,
  ...data,
  ...accounts,
  ...walls,
  ...signed,
  ...echo,
  ...scripted,
  ...scriptData,
  ...encodings,
  ...redirects,
  ...delays,
  ...breakage,
  ...contentTypes,
  ...sizes,
  ...compression,
  ...documents,
  ...robots,
  ...sitemaps,
  ...control,
];

/** Every route of the site; where two patterns fit, the earlier one answers. */
export const routes: readonly Route[] = [...listed, routeList(listed)];
