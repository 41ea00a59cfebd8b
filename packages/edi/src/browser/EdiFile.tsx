/**
 * A file of X12: what became of its sets, and its text beside its acknowledgment. Operators have what a partner rejected sent again
 * (D23.6).
 */
import {
  AskedTwice,
  Empty,
  Facts,
  FaultNote,
  href,
  Loaded,
  Part,
  perform,
  Quote,
  readsOf,
  Rows,
  run,
  Said,
  session,
  thingAt,
  ThingHead,
  Time,
  useActions,
  usePolled
} from "@dockline/dashboard/browser/PageParts"
import type { Column, Of } from "@dockline/dashboard/browser/PageParts"
import type { edi } from "../domain/EdiCapability.ts"
import { EdiBadge, nameOf } from "./EdiFiles.tsx"

const ediFile = readsOf<(typeof edi)["operations"]>()(
  "ediFile",
  "id direction business facility partner control at outcome sets faults text answer"
)

type File = Of<typeof ediFile>

const list = ["/edi", "EDI"] as const

/** The most characters of a text that are shown: a browser lays out no more without a pause. */
const shownAtMost = 200_000

const shownText = (text: string): string =>
  text.length > shownAtMost
    ? `${text.slice(0, shownAtMost)}\n… ${text.length - shownAtMost} characters more`
    : text

const dash = <span class="soft">–</span>

const columns: ReadonlyArray<Column<File["sets"][number]>> = [
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
      : <Rows classes="cards" rows={sets} columns={columns} />}
  </Part>
)

const Content = ({ reload, file }: { readonly file: File; readonly reload: () => void }) => {
  const { act, fault, said } = useActions(reload)
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
            <AskedTwice
              word="Send again"
              act={() => act(resend, "What was rejected is sent again, in an interchange of its own.")}
            />
          )
          : null}
      </ThingHead>
      <Said>{said}</Said>
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

export const EdiFile = ({ id }: { readonly id: string }) => {
  const state = usePolled(id, () =>
    thingAt(
      `/edi/${id}`,
      run(ediFile, { id: Number(id) }),
      `There is no file ${id} that you may see. The record may have dropped it because of its age.`
    ))
  return (
    <Loaded state={state} head={<ThingHead list={list} title={`File ${id}`} />}>
      {(file) => <Content file={file} reload={state.reload} />}
    </Loaded>
  )
}
