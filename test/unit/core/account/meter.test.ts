import { expect, test } from "vitest";
import { Meter, NO_COUNTS } from "../../../../src/core/account/meter.ts";

test("a receipt has the expected cost of work that ends later, and a report has the actual cost", () => {
  const meter = new Meter();
  meter.add("d1RowsWritten", 2);
  meter.expect({ d1RowsWritten: 3, d1RowsRead: 10 });
  expect(meter.total()).toEqual({ ...NO_COUNTS, d1RowsWritten: 5, d1RowsRead: 10 });
  expect(meter.take()).toEqual({ ...NO_COUNTS, d1RowsWritten: 2 });
  meter.add("d1RowsWritten", 4);
  expect(meter.take()).toEqual({ ...NO_COUNTS, d1RowsWritten: 4 });
  expect(meter.news()).toEqual(NO_COUNTS);
});
