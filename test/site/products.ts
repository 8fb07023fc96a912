export interface Product {
  slug: string;
  name: string;
  price: string;
  stock: number;
  rating: string;
  blurb: string;
}

/** The chandlery's catalogue; prices in pounds. */
export const PRODUCTS: readonly Product[] = [
  {
    slug: "storm-lantern",
    name: "Storm lantern",
    price: "48.00",
    stock: 12,
    rating: "4.7",
    blurb: "Brass, paraffin, burns fourteen hours on one filling and does not mind being dropped.",
  },
  {
    slug: "hemp-fender",
    name: "Hemp fender",
    price: "31.50",
    stock: 4,
    rating: "4.2",
    blurb: "Knotted by hand in the net loft. Squeaks less than rubber, and smells of the sea from the first day.",
  },
  {
    slug: "tide-clock",
    name: "Tide clock",
    price: "89.90",
    stock: 0,
    rating: "3.9",
    blurb: "One hand, twelve hours and twenty-five minutes. Set it at high water and leave it alone.",
  },
  {
    slug: "oilskin-coat",
    name: "Oilskin coat",
    price: "164.00",
    stock: 7,
    rating: "4.9",
    blurb: "Waxed cotton with a storm collar and two pockets large enough for a thermos flask.",
  },
  {
    slug: "bronze-cleat",
    name: "Bronze cleat, 150 mm",
    price: "22.75",
    stock: 60,
    rating: "4.8",
    blurb: "Cast in Lower Staithe. Four bolts, no sharp edges, older than your boat in spirit.",
  },
  {
    slug: "logbook",
    name: "Logbook, ruled",
    price: "9.80",
    stock: 200,
    rating: "4.6",
    blurb: "Two hundred pages that take pencil in the rain. Columns for wind, barometer and remarks.",
  },
  {
    slug: "splicing-fid",
    name: "Splicing fid",
    price: "14.20",
    stock: 18,
    rating: "4.4",
    blurb: "Turned from lignum vitae offcuts. Fits the hand of anyone who has hands.",
  },
  {
    slug: "hand-lead",
    name: "Hand lead, 3 kg",
    price: "36.00",
    stock: 3,
    rating: "4.1",
    blurb: "With twenty fathoms of marked line and a hollow for tallow. Never runs out of battery.",
  },
  {
    slug: "signal-flags",
    name: "Signal flags, set of 40",
    price: "119.00",
    stock: 5,
    rating: "4.5",
    blurb: "Sewn bunting with toggles and a roll-up bag that shows which pocket is Quebec.",
  },
  {
    slug: "bilge-pump",
    name: "Bilge pump, manual",
    price: "74.30",
    stock: 9,
    rating: "4.0",
    blurb: "Forty strokes to the barrel. The handle folds away, but you should not let it.",
  },
  {
    slug: "anchor-riding-light",
    name: "Riding light",
    price: "57.25",
    stock: 11,
    rating: "4.3",
    blurb: "White, all round, visible for two miles and draws less than the radio's clock.",
  },
  {
    slug: "sail-needle-kit",
    name: "Sail needle kit",
    price: "18.60",
    stock: 33,
    rating: "4.7",
    blurb: "Seven needles, a leather palm, waxed twine and a card with the stitches.",
  },
  {
    slug: "parallel-rule",
    name: "Parallel rule, 450 mm",
    price: "27.40",
    stock: 14,
    rating: "4.6",
    blurb: "Clear acrylic with a compass rose engraved on both leaves.",
  },
  {
    slug: "harbour-mug",
    name: "Harbour mug",
    price: "8.50",
    stock: 140,
    rating: "4.9",
    blurb: "Enamel, chips nicely, holds a third of a litre and has a handle for gloves.",
  },
];

export const PRODUCTS_PER_PAGE = 8;
