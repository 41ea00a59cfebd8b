/** What the references say of the schemas of files beside their own texts. */
import type { Notes } from "@dockline/core/capability/Capability"

/** A note to a field of each type of files. */
const ofFiles = (field: string, note: string): Record<string, string> =>
  Object.fromEntries(["EdiFile", "EdiFileEntry", "EdiOutgoing"].map((type) => [`${type}.${field}`, note]))

export const notes: Notes = {
  names: {
    ...ofFiles("direction", "EdiDirection"),
    ...ofFiles("outcome", "EdiOutcome"),
    "EdiSet.outcome": "EdiOutcome"
  },
  descriptions: {
    ...ofFiles("facility", "The facility of its partner"),
    EdiDirection: "Which way a file of X12 goes.",
    "EdiDirection.IN": "It came from a partner",
    "EdiDirection.OUT": "It goes to a partner",
    EdiOutcome: "What became of a file of X12, or of one of its sets.",
    "EdiOutcome.ACCEPTED": "It is taken",
    "EdiOutcome.NOTED": "It is taken, with errors noted",
    "EdiOutcome.PARTIAL": "Some of its sets are taken",
    "EdiOutcome.REJECTED": "It is rejected",
    "EdiOutcome.WAITING": "Its partner has not acknowledged it",
    "EdiOutcome.UNWRITTEN": "X12 cannot hold it, and it was not sent"
  }
}
