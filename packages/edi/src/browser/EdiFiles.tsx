/** What was exchanged with the EDI partners of a facility: which files came and went, and what became of them. */
import {
  Badge,
  Empty,
  filtersOf,
  href,
  isNarrowed,
  ListPage,
  listsOf,
  nameIn,
  optionsOf,
  run,
  slugOf,
  slugsOf,
  Time
} from "@dockline/dashboard/browser/PageParts"
import type { Column, Filter, Of, Place, Toned } from "@dockline/dashboard/browser/PageParts"
import type { edi } from "../domain/EdiCapability.ts"
import type { EdiOutcome } from "../domain/EdiFile.ts"

const ediFiles = listsOf<(typeof edi)["operations"]>()(
  "ediFiles",
  "$business: String, $facility: String, $partner: String, $direction: EdiDirection, $outcome: EdiOutcome",
  "id direction partner control at outcome kinds setCount rejectedCount"
)

type Row = Of<typeof ediFiles>

const outcomes: Readonly<Record<EdiOutcome, Toned>> = {
  ACCEPTED: ["Accepted", "ok"],
  NOTED: ["Accepted with errors", "warn"],
  PARTIAL: ["Partly rejected", "bad"],
  REJECTED: ["Rejected", "bad"],
  WAITING: ["Not acknowledged yet", "calm"],
  UNWRITTEN: ["Could not be written", "bad"]
}

const directions: Readonly<Record<Row["direction"], string>> = { IN: "Came", OUT: "Went" }

const filters: ReadonlyArray<Filter> = [
  { name: "partner", label: "Partner" },
  { name: "direction", label: "Direction", choices: [["", "Any"], ...optionsOf(directions)] },
  { name: "outcome", label: "Outcome", choices: [["", "Any"], ...optionsOf(outcomes)] }
]

export const EdiBadge = ({ outcome }: { readonly outcome: EdiOutcome }) => <Badge of={outcomes[outcome]} />

/** The name of a file in lists and heads: its kinds of sets, and its control number. */
export const nameOf = ({ control, kinds }: Pick<Row, "control" | "kinds">): string =>
  `${kinds.join(", ") || "Empty"}${control === "" ? "" : ` ${control}`}`

const columns: ReadonlyArray<Column<Row>> = [
  ["File", (row) => <a href={href(`/edi/${row.id}`)}>{nameOf(row)}</a>, "main"],
  ["Outcome", ({ outcome }) => <EdiBadge outcome={outcome} />, "end"],
  ["Partner", ({ partner }) => partner, "left", "Partner"],
  ["Direction", ({ direction }) => directions[direction], "left", "Direction"],
  [
    "Sets",
    ({ rejectedCount, setCount }) =>
      rejectedCount === 0 ? setCount : `${rejectedCount} of ${setCount} rejected`,
    "wide",
    "Sets"
  ],
  ["At", ({ at }) => <Time time={at} near />, "number end"]
]

export const EdiFiles = ({ place }: { readonly place: Place }) => {
  const active = filtersOf(filters)
  const { direction = "", outcome = "", partner } = active
  const query = {
    ...slugsOf(place),
    partner,
    direction: nameIn(directions, direction),
    outcome: nameIn(outcomes, outcome)
  }
  return (
    <ListPage
      title="EDI"
      lead="Files of X12 that came from partners of this facility, and went to them."
      filters={filters}
      name={`edi-${slugOf(place)}`}
      path="edi/files"
      asked={[query]}
      read={(query) => run(ediFiles, query)}
      noun="file"
      empty={isNarrowed(active)
        ? <Empty title="No file matches these filters" />
        : (
          <Empty title="No files yet">
            An operator enters partners on the page of the business. What they send to{" "}
            <code class="nowrap">POST /v1/edi</code> appears here, with what they are told.
          </Empty>
        )}
      columns={columns}
    />
  )
}
