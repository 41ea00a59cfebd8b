/** What was exchanged with the EDI partners of a facility: which files came and went, and what became of them. */
import type { EdiOutcome } from "@dockline/core/EdiFile"
import { ediFiles } from "../api/operations.ts"
import type { EdiFileRow as Row } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href } from "../router.ts"
import { slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { Download, pathOf } from "../ui/Download.tsx"
import { Filters, filtersOf } from "../ui/Filters.tsx"
import type { Filter } from "../ui/Filters.tsx"
import { Empty } from "../ui/Frame.tsx"
import { PagedList } from "../ui/PagedList.tsx"
import { Time } from "../ui/Parts.tsx"
import { Rows } from "../ui/Rows.tsx"
import { SavedViews } from "../ui/SavedViews.tsx"

const outcomes: Readonly<Record<EdiOutcome, readonly [word: string, tone: string]>> = {
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
  { name: "direction", label: "Direction", choices: [["", "Any"], ...Object.entries(directions)] },
  {
    name: "outcome",
    label: "Outcome",
    choices: [["", "Any"], ...Object.entries(outcomes).map(([value, [word]]) => [value, word] as const)]
  }
]

/** What became of a file, or of a set. */
export const EdiBadge = ({ outcome }: { readonly outcome: EdiOutcome }) => {
  const [word, tone] = outcomes[outcome]
  return <span class="badge" data-tone={tone}>{word}</span>
}

/** The name of a file in lists and heads: its kinds of sets, and its control number. */
export const nameOf = ({ control, kinds }: Pick<Row, "control" | "kinds">): string =>
  `${kinds.join(", ") || "Empty"}${control === "" ? "" : ` ${control}`}`

const Table = ({ rows }: { readonly rows: ReadonlyArray<Row> }) => (
  <Rows
    rows={rows}
    id={({ id }) => id}
    columns={[
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
    ]}
  />
)

export const EdiFiles = ({ place }: { readonly place: Place }) => {
  const given = filtersOf(filters)
  const { direction = "", outcome = "", partner } = given
  const asked = {
    ...slugsOf(place),
    partner,
    direction: Object.hasOwn(directions, direction) ? direction as Row["direction"] : undefined,
    outcome: Object.hasOwn(outcomes, outcome) ? outcome as EdiOutcome : undefined
  }
  const isFiltered = Object.values(given).some((text) => text !== "")
  return (
    <>
      <div class="view-head">
        <div>
          <h1>EDI</h1>
          <p class="lead">Files of X12 that came from partners of this facility, and went to them.</p>
        </div>
        <Download name={`edi-${slugOf(place)}`} paths={[pathOf("edi/files", asked)]} />
      </div>
      <SavedViews />
      <Filters filters={filters} />
      <PagedList
        id={JSON.stringify([slugOf(place), given])}
        noun="file"
        read={[(after) => run(ediFiles, { ...asked, after })]}
        empty={isFiltered
          ? <Empty title="No file matches these filters" />
          : (
            <Empty title="No files yet">
              An operator enters partners on the page of the business. What they send to{" "}
              <code class="nowrap">POST /v1/edi</code> appears here, with what they are told.
            </Empty>
          )}
      >
        {(rows) => <Table rows={rows} />}
      </PagedList>
    </>
  )
}
