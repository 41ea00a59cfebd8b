/** The LPN of a report is read as that of a document: what a label holds beside it is no fault, and what cannot be seen is. */
import { readReport } from "@dockline/core/exceptions/ShipmentException"
import { assert, it } from "@effect/vitest"
import { Result } from "effect"

// @threat reports.3
it("a report of an exception takes the LPN of a label, and none with characters that cannot be seen", () => {
  const report = { kind: "DAMAGED", priority: "LOW", description: "\u200f" }
  assert.isTrue(Result.isSuccess(readReport({ ...report, lpn: "00106141411234567897\u001d" })))
  assert.isTrue(Result.isFailure(readReport({ ...report, lpn: "L\u200b1" })))
})
