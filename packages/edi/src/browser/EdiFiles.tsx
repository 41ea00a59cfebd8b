/** The files exchanged with the EDI partners of a facility, with their outcomes. */
import {
  ConfirmButton,
  Empty,
  Facts,
  FaultNote,
  filtersOf,
  href,
  isNarrowed,
  ListPage,
  listsOf,
  LoadedData,
  nameIn,
  optionsOf,
  Part,
  perform,
  Quote,
  readsOf,
  Rows,
  run,
  session,
  slugOf,
  slugsOf,
  StatusNote,
  thingAt,
  ThingHead,
  Time,
  useActions,
  usePolled
} from "@dockline/dashboard/browser/PageParts"
import type { Column, Filter, Of, Place } from "@dockline/dashboard/browser/PageParts"
import type { edi } from "../domain/EdiCapability.ts"
import { EdiBadge, nameOf, outcomes } from "./EdiWords.tsx"

const ediFiles = listsOf<(typeof edi)["operations"]>()(
  "ediFiles",
  {
    business: "String",
    facility: "String",
    partner: "String",
    direction: "EdiDirection",
    outcome: "EdiOutcome"
  },
  "id direction partner control at outcome kinds setCount rejectedCount"
)

type Row = Of<typeof ediFiles>

const directions: Readonly<Record<Row["direction"], string>> = { IN: "Came", OUT: "Went" }

const filters: ReadonlyArray<Filter> = [
  { name: "partner", label: "Partner" },
  { name: "direction", label: "Direction", choices: [["", "Any"], ...optionsOf(directions)] },
  { name: "outcome", label: "Outcome", choices: [["", "Any"], ...optionsOf(outcomes)] }
]

const fileColumns: ReadonlyArray<Column<Row>> = [
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
      queries={[query]}
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
      columns={fileColumns}
    />
  )
}

const ediFile = readsOf<(typeof edi)["operations"]>()(
  "ediFile",
  "id direction business facility partner control at outcome sets faults text answer"
)

type File = Of<typeof ediFile>

const list = ["/edi", "EDI"] as const

/** The most characters of a text that the page shows: a browser pauses noticeably when it lays out more. */
const shownAtMost = 200_000

const shownText = (text: string): string =>
  text.length > shownAtMost
    ? `${text.slice(0, shownAtMost)}\n… ${text.length - shownAtMost} characters more`
    : text

const dash = <span class="soft">–</span>

const setColumns: ReadonlyArray<Column<File["sets"][number]>> = [
  ["Set", ({ control, kind }) => `${kind} ${control}`, "main mono"],
  ["Outcome", ({ outcome }) => <EdiBadge outcome={outcome} />, "end"],
  [
    "About",
    ({ number, shipmentId }) =>
      shipmentId === ""
        ? number || dash
        : <a href={href(`/shipments/${shipmentId}`)}>{number || `Shipment ${shipmentId}`}</a>,
    "left"
  ],
  [
    "What is wrong",
    ({ faults }) => faults.length === 0 ? dash : faults.map((fault) => <p key={fault}>{fault}</p>),
    "wide"
  ]
]

const Sets = ({ file: { faults, sets } }: { readonly file: File }) => (
  <Part id="sets" title="Sets">
    {faults.map((fault) => <p key={fault} class="removed">{fault}</p>)}
    {sets.length === 0
      ? <Empty title="It has no sets" />
      : <Rows classes="cards" rows={sets} columns={setColumns} />}
  </Part>
)

const Content = ({ reload, file }: { readonly file: File; readonly reload: () => void }) => {
  const { act, fault, note } = useActions(reload)
  const kinds = Array.from(new Set(file.sets.map(({ kind }) => kind))).sort()
  const isRejected = file.direction === "OUT" && file.sets.some(({ outcome }) => outcome === "REJECTED")
  const resend = () =>
    perform("POST", `/v1/operator/businesses/${file.business.slug}/edi-files/${file.id}/resend`)
  return (
    <>
      <ThingHead
        list={list}
        at={file}
        title={nameOf({ ...file, kinds })}
        badges={<EdiBadge outcome={file.outcome} />}
      >
        {session.value?.operator === true && isRejected
          ? (
            <ConfirmButton
              word="Send again"
              act={() => act(resend, "What was rejected is sent again, in an interchange of its own.")}
            />
          )
          : null}
      </ThingHead>
      <StatusNote>{note}</StatusNote>
      <FaultNote fault={fault} />
      <section class="card overview" aria-label="Overview">
        <Facts
          of={[
            [file.direction === "IN" ? "Came from" : "Went to", file.partner],
            [file.direction === "IN" ? "Came" : "Written", <Time time={file.at} near />],
            ["Control number", <span class="mono">{file.control || "–"}</span>]
          ]}
        />
      </section>
      <Sets file={file} />
      {file.text === "" ? null : (
        <section class="card exchange" aria-label="Texts">
          <Quote caption={`As it ${file.direction === "IN" ? "came" : "went"}`}>
            {shownText(file.text)}
          </Quote>
          {file.answer === ""
            ? null
            : <Quote caption="Our acknowledgment">{shownText(file.answer)}</Quote>}
        </section>
      )}
    </>
  )
}

/**
 * A file of X12: the outcome of each set, and its text beside its acknowledgment. Operators can send the sets that a partner rejected
 * again (D23.6).
 */
export const EdiFile = ({ id }: { readonly id: string }) => {
  const state = usePolled(id, () =>
    thingAt(
      `/edi/${id}`,
      run(ediFile, { id: Number(id) }),
      `There is no file ${id} that you may see. The record may have dropped it because of its age.`
    ))
  return (
    <LoadedData state={state} head={<ThingHead list={list} title={`File ${id}`} />}>
      {(file) => <Content file={file} reload={state.reload} />}
    </LoadedData>
  )
}
