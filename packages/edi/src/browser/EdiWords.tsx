/** What pages call files, and what became of them. */
import { Badge } from "@dockline/dashboard/browser/PageParts"
import type { Toned } from "@dockline/dashboard/browser/PageParts"
import type { EdiFileEntryView, EdiOutcome } from "../domain/EdiFile.ts"

export const outcomes: Readonly<Record<EdiOutcome, Toned>> = {
  ACCEPTED: ["Accepted", "ok"],
  NOTED: ["Accepted with errors", "warn"],
  PARTIAL: ["Partly rejected", "bad"],
  REJECTED: ["Rejected", "bad"],
  WAITING: ["Not acknowledged yet", "calm"],
  UNWRITTEN: ["Could not be written", "bad"]
}

export const EdiBadge = ({ outcome }: { readonly outcome: EdiOutcome }) => <Badge of={outcomes[outcome]} />

/** The name of a file in lists and heads: its kinds of sets, and its control number. */
export const nameOf = ({ control, kinds }: Pick<EdiFileEntryView, "control" | "kinds">): string =>
  `${kinds.join(", ") || "Empty"}${control === "" ? "" : ` ${control}`}`
