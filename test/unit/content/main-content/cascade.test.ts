import { expect, test } from "vitest";
import { CASCADE } from "../../../../src/content/main-content/cascade.ts";
import packedModel from "../../../../src/content/main-content/model/main-content.json" with { type: "json" };

test("the scores that the model states were measured with the cascade in use", () => {
  expect(packedModel.provenance.cascade).toEqual(CASCADE);
});

test("the second pass judges no block of a kind that it has not learned from", () => {
  const { learnedDoubt } = packedModel.provenance;
  expect(learnedDoubt.from).toBeLessThanOrEqual(CASCADE.doubt.from);
  expect(learnedDoubt.to).toBeGreaterThanOrEqual(CASCADE.doubt.to);
});
