/** The differences between the pallets that have passed the dock and those that were expected on a shipment. */
import type { Discrepancy, Read } from "../../api/operations.ts"
import type { ReportDraft } from "../../capability.ts"
import { href } from "../../router.ts"
import { Part } from "../../ui/Frame.tsx"
import { Rows } from "../../ui/lists.tsx"
import type { Column } from "../../ui/lists.tsx"
import { Badge, Plain, useShown } from "../../ui/Parts.tsx"

const kinds: Readonly<Record<Discrepancy["kind"], string>> = {
  SHORT: "Missing",
  OVER: "Not on this shipment",
  WRONG_SHIPMENT: "Wrong shipment",
  WRONG_DOCK: "Wrong dock"
}

/** Begins a report of a problem; `undefined` if the reader may not report problems. */
type Reports = ((draft: ReportDraft) => void) | undefined

const shownAtMost = 50

const Explanation = (
  { discrepancy: { dockSlug, expectedOnId, expectedOnNumber, kind } }: { readonly discrepancy: Discrepancy }
) => {
  switch (kind) {
    case "SHORT":
      return <>It was expected and has not passed.</>
    case "OVER":
      return <>It passed at dock {dockSlug}, but no order expects it.</>
    case "WRONG_SHIPMENT":
      return (
        <>
          It passed here, but is expected on{" "}
          <a href={href(`/shipments/${expectedOnId}`)}>{expectedOnNumber}</a>.
        </>
      )
    case "WRONG_DOCK":
      return <>It was last seen at dock {dockSlug}, and this shipment is not there.</>
  }
}

const draftOf = ({ dockSlug, expectedOnNumber, kind, lpn, palletId }: Discrepancy): ReportDraft => ({
  kind: kind === "SHORT" ? "SHORT" : "OVER",
  pallet: { id: palletId, lpn },
  description: {
    SHORT: "Expected, and has not passed",
    OVER: "Passed, but no order expects it",
    WRONG_SHIPMENT: `Passed here, but is expected on ${expectedOnNumber}`,
    WRONG_DOCK: `Last seen at dock ${dockSlug}`
  }[kind]
})

const nameOf = ({ lpn, palletId }: Discrepancy): string => lpn || `Pallet ${palletId} without an LPN`

const columnsOf = (shipmentId: number, report: Reports): ReadonlyArray<Column<Discrepancy>> => [
  [
    "LPN",
    (row) =>
      row.palletId === ""
        ? nameOf(row)
        : <a href={href(`/shipments/${shipmentId}/pallets/${row.palletId}`)}>{nameOf(row)}</a>,
    "main mono"
  ],
  [
    "What is wrong",
    ({ kind, provisional }) => (
      <Badge
        of={[kinds[kind], kind === "SHORT" && !provisional ? "bad" : "warn"]}
      />
    ),
    "wide"
  ],
  ["Why", (row) => <Explanation discrepancy={row} />, "wide"],
  ...(report === undefined ? [] : [
    [
      "Exception",
      (row: Discrepancy) => <Plain of={nameOf(row)} onClick={() => report(draftOf(row))}>Report</Plain>,
      "wide number no-print"
    ] as const
  ])
]

/** The section of discrepancies on a shipment's page; absent if there are none. */
export const Discrepancies = ({ discrepancies: { hasMore, rows }, report, shipmentId }: {
  readonly discrepancies: Read<Discrepancy>
  readonly report: Reports
  readonly shipmentId: number
}) => {
  const [first, more] = useShown(rows, shownAtMost, "discrepancies")
  if (rows.length === 0) return null
  const isProvisional = rows.some(({ provisional }) => provisional)
  const isShort = !isProvisional && rows.some(({ kind }) => kind === "SHORT")
  return (
    <Part
      id="discrepancies"
      title="Discrepancies"
      beside={
        <>
          <Badge of={[`${rows.length}${hasMore ? " or more" : ""}`, isShort ? "bad" : "warn"]} />
          <span class="soft count">
            {isProvisional ? "These may change until the shipment departs" : "As they were at departure"}
          </span>
        </>
      }
    >
      <Rows
        rows={first}
        id={({ kind, lpn, palletId }) => `${kind} ${palletId} ${lpn}`}
        columns={columnsOf(shipmentId, report)}
      />
      {more}
    </Part>
  )
}
