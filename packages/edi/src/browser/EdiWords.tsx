/** The names of files, and of their outcomes, on pages. */
import { Badge } from "@dockline/dashboard/browser/PageParts"
import type { BadgeText } from "@dockline/dashboard/browser/PageParts"
import type { EdiFileEntryView, EdiOutcome } from "../domain/EdiFile.ts"

export const outcomes: Readonly<Record<EdiOutcome, BadgeText>> = {
  ACCEPTED: ["Accepted", "ok"],
  NOTED: ["Accepted with errors", "warn"],
  PARTIAL: ["Partly rejected", "bad"],
  REJECTED: ["Rejected", "bad"],
  WAITING: ["Not acknowledged yet", "calm"],
  UNWRITTEN: ["Could not be written", "bad"]
}

export const EdiBadge = ({ outcome }: { readonly outcome: EdiOutcome }) => <Badge of={outcomes[outcome]} />

/** The name of a file in lists and headings: the kinds of its sets, and its control number. */
export const nameOf = ({ control, kinds }: Pick<EdiFileEntryView, "control" | "kinds">): string =>
  `${kinds.join(", ") || "Empty"}${control === "" ? "" : ` ${control}`}`
