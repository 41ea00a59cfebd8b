/**
 * Moves a shipment on by hand: its truck checks in, it arrives, departs, is linked or is cancelled. Final steps ask for confirmation.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import {
  arriveShipment,
  board,
  cancelShipment,
  checkInShipment,
  departShipment,
  linkShipments
} from "../../api/operations.ts"
import type { Shipment as Shown } from "../../api/operations.ts"
import { Fault, run } from "../../api/request.ts"
import { slugsOf } from "../../session.ts"
import { submitting, useMovedFocus, useSending } from "../../ui/forms.ts"
import { FaultNote } from "../../ui/Frame.tsx"
import { Plain, TextInput } from "../../ui/Parts.tsx"

interface Asked {
  readonly label: string
  readonly confirm: string
  readonly isFinal: boolean
  readonly what: (shown: Shown) => string
  /** The label of a text that the reader has to enter, if any. */
  readonly field?: string
  /** Takes the step, and resolves with a sentence that confirms it. */
  readonly take: (shown: Shown, written: string, key: string) => Promise<string>
}

const missingOf = ({ progress: { missingPallets } }: Shown): string => {
  if (missingPallets === 0) return "All expected pallets have passed."
  return missingPallets === 1
    ? "1 expected pallet has not passed, and will be missing."
    : `${missingPallets} expected pallets have not passed, and will be missing.`
}

const departure: Asked = {
  label: "Depart",
  confirm: "Depart for good",
  isFinal: true,
  what: (shown) =>
    `${
      missingOf(shown)
    } The departure is final: it completes the orders, notifies the customer, and cannot be undone.`,
  take: async ({ id }, _, key) => {
    await run(departShipment, { input: { shipmentId: id } }, key)
    return "The shipment has departed."
  }
}

const cancellation: Asked = {
  label: "Cancel the shipment",
  confirm: "Cancel it for good",
  isFinal: true,
  what: () => "It is cancelled with its orders. That is final: its number cannot be used again.",
  take: async ({ id }, _, key) => {
    await run(cancelShipment, { input: { shipmentId: id } }, key)
    return "The shipment is cancelled."
  }
}

/** The id of the shipment that the reader has entered: by its number at the facility, else by its id. */
const writtenId = async (shown: Shown, written: string): Promise<number> => {
  const { nodes: [found] } = await run(board, { ...slugsOf(shown), shipmentNumber: written, first: 1 })
  if (found !== undefined) return found.id
  if (/^\d{1,15}$/.test(written)) return Number(written)
  throw new Fault(`There is no shipment ${written} at ${shown.facility.name}.`, "NOT_FOUND")
}

const linking: Asked = {
  label: "Link",
  confirm: "Link",
  isFinal: false,
  what: () =>
    "The two shipments belong together: no order moves away from either, and neither can be cancelled.",
  field: "Number or id of the other shipment",
  take: async (shown, written, key) => {
    const linkedShipmentId = await writtenId(shown, written)
    await run(linkShipments, { input: { shipmentId: shown.id, linkedShipmentId } }, key)
    return `The shipment is linked to ${written}.`
  }
}

interface QuestionProps {
  readonly asked: Asked
  readonly shown: Shown
  readonly done: (said: string) => void
  readonly close: () => void
}

/** The dialog before a step; Escape closes it, and the focus goes back to the button that opened it. */
const Question = (
  { asked: { confirm, field, isFinal, label, take, what }, close, done, shown }: QuestionProps
) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const { fault, sendIt } = useSending(async (written: string, key) => done(await take(shown, written, key)))
  return (
    <dialog
      class="card question"
      ref={dialog}
      aria-labelledby="question"
      aria-describedby="asked"
      onClose={close}
    >
      <form
        onSubmit={submitting((given) => sendIt(given("written")))}
      >
        <h2 id="question">{label} {shown.shipmentNumber}</h2>
        <p id="asked">{what(shown)}</p>
        {field === undefined ? null : (
          <label>
            {field}
            <TextInput name="written" required pattern=".*\S.*" maxLength={128} />
          </label>
        )}
        <FaultNote fault={fault} />
        <div class="buttons">
          <Plain onClick={() => dialog.current?.close()}>Go back</Plain>
          <button type="submit" class={isFinal ? "plain danger" : "primary"}>{confirm}</button>
        </div>
      </form>
    </dialog>
  )
}

/** A step that is taken at once. */
interface Direct {
  readonly label: string
  /** Whether the step is at a dock that the reader chooses. */
  readonly isAtDock: boolean
  /** Takes the step, and resolves with a sentence that confirms it. */
  readonly take: (shown: Shown, dockSlug: string, key: string) => Promise<string>
}

const arrival: Direct = {
  label: "Arrive",
  isAtDock: true,
  take: async ({ id }, dockSlug, key) => {
    await run(arriveShipment, { input: { shipmentId: id, dockSlug } }, key)
    return `The shipment has arrived at dock ${dockSlug}.`
  }
}

const atFacility: Direct = {
  label: "At the facility",
  isAtDock: false,
  take: async ({ id }, _, key) => {
    await run(checkInShipment, { input: { shipmentId: id, step: "AT_FACILITY" } }, key)
    return "The truck is at the facility."
  }
}

const doorAssigned: Direct = {
  label: "Assign the door",
  isAtDock: true,
  take: async ({ id }, dockSlug, key) => {
    await run(checkInShipment, { input: { shipmentId: id, step: "DOOR_ASSIGNED", dockSlug } }, key)
    return `The truck is assigned to dock ${dockSlug}.`
  }
}

const checkedOut: Direct = {
  label: "Check out",
  isAtDock: false,
  take: async ({ id }, _, key) => {
    await run(checkInShipment, { input: { shipmentId: id, step: "CHECKED_OUT" } }, key)
    return "The truck has checked out."
  }
}

/** The next steps that the reader may take at once. */
const directOf = (
  { mayCheckIn, mayMove, shown: { status, statusEvents } }: StepsProps
): ReadonlyArray<Direct> => {
  const isOpen = status === "SCHEDULED" || status === "ARRIVED"
  const noted = new Set(statusEvents.map((event) => event.status))
  const isThere = noted.has("AT_FACILITY") || noted.has("DOOR_ASSIGNED")
  const mayNote = mayCheckIn && isOpen && !noted.has("CHECKED_OUT")
  return [
    ...(mayMove && status === "SCHEDULED" ? [arrival] : []),
    ...(mayNote ? [doorAssigned] : []),
    ...(mayNote && !isThere ? [atFacility] : []),
    ...(mayNote && isThere ? [checkedOut] : [])
  ]
}

interface DirectStepsProps {
  readonly shown: Shown
  readonly docks: ReadonlyArray<string>
  readonly steps: ReadonlyArray<Direct>
  readonly take: (step: Direct, dockSlug: string) => void
}

/** The buttons of steps that are taken at once: at the expected dock, unless the reader chooses another. */
const DirectSteps = ({ docks, shown: { dockSlug }, steps, take }: DirectStepsProps) => {
  const [chosen, setChosen] = useState<string>()
  const dock = chosen ?? (docks.includes(dockSlug) ? dockSlug : docks[0] ?? "")
  const button = (step: Direct) => (
    <Plain
      key={step.label}
      disabled={step.isAtDock && dock === ""}
      onClick={() => take(step, step.isAtDock ? dock : "")}
    >
      {step.label}
    </Plain>
  )
  const [atDocks, others] = [
    steps.filter(({ isAtDock }) => isAtDock),
    steps.filter(({ isAtDock }) => !isAtDock)
  ]
  return (
    <>
      {atDocks.length === 0 ? null : (
        <label class="dock">
          Dock{" "}
          <select value={dock} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {docks.map((each) => <option key={each} value={each}>{each}</option>)}
          </select>
        </label>
      )}
      {atDocks.map(button)}
      {others.map(button)}
    </>
  )
}

/** The next steps of a shipment that need a confirmation and that the reader may take. */
const askedOf = ({ mayCancel, mayLink, mayMove, shown }: StepsProps): ReadonlyArray<Asked> => {
  const { progress, status } = shown
  const isScheduled = status === "SCHEDULED"
  return [
    ...(mayMove && status === "ARRIVED" ? [departure] : []),
    ...(mayLink && (isScheduled || status === "ARRIVED") ? [linking] : []),
    ...(mayCancel && isScheduled && progress.passedPallets === 0 ? [cancellation] : [])
  ]
}

interface StepsProps {
  readonly shown: Shown
  readonly docks: ReadonlyArray<string>
  readonly mayMove: boolean
  readonly mayLink: boolean
  readonly mayCancel: boolean
  /** Whether the reader may note steps of the check-in. */
  readonly mayCheckIn: boolean
  readonly reload: () => void
}

/** The id of the section, where the focus goes once a step is taken. */
const section = "steps"

/** The section of a shipment's page, for one that has neither departed nor been cancelled. */
export const Steps = (props: StepsProps) => {
  const { docks, reload, shown } = props
  const [asked, setAsked] = useState<Asked>()
  const [said, setSaid] = useState("")
  const moveFocus = useMovedFocus()
  const done = (words: string): void => {
    setAsked(undefined)
    setSaid(words)
    moveFocus(section)
    reload()
  }
  /** Closes what was asked, unless something has been asked since: a dialog tells that it was closed a moment later. */
  const close = (): void => setAsked((now) => now === asked ? undefined : now)
  const direct = directOf(props)
  const { fault, sendIt } = useSending(
    async ({ dockSlug, label }: { readonly dockSlug: string; readonly label: string }, key) => {
      setSaid("")
      const step = direct.find((each) => each.label === label)
      if (step !== undefined) done(await step.take(shown, dockSlug, key))
    }
  )
  const offered = askedOf(props)
  if (
    direct.length === 0 && offered.length === 0 && asked === undefined && said === "" && fault === undefined
  ) {
    return null
  }
  return (
    <section class="card try no-print" id={section} tabindex={-1} aria-label="Move the shipment">
      {said === "" ? <FaultNote fault={fault} /> : null}
      <div class="buttons">
        <DirectSteps
          docks={docks}
          shown={shown}
          steps={direct}
          take={({ label }, dockSlug) => sendIt({ label, dockSlug })}
        />
        {offered.map((step) => (
          <button
            key={step.label}
            type="button"
            class="plain"
            onClick={() => setAsked({ ...step })}
          >
            {step.label}…
          </button>
        ))}
      </div>
      {asked === undefined
        ? null
        : <Question key={asked} asked={asked} shown={shown} done={done} close={close} />}
      <p class="said soft" role="status">{said}</p>
    </section>
  )
}
