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
import type { Rights } from "../../session.ts"
import { submitting, useMovedFocus, useSending } from "../../ui/forms.ts"
import { FaultNote, StatusNote } from "../../ui/Frame.tsx"
import { Plain, Select, TextInput } from "../../ui/Parts.tsx"

interface StepsProps {
  readonly shipment: Shown
  readonly rights: Rights
  /** Whether the reader may report arrivals and departures, and link shipments. */
  readonly mayMove: boolean
  readonly reload: () => void
}

interface Confirmation {
  readonly confirm: string
  readonly isFinal: boolean
  readonly what: (shipment: Shown) => string
  /** The label of a text that the reader has to enter, if any. */
  readonly field?: string
}

interface Step {
  readonly label: string
  /** Whether the step is possible now, and the reader may take it. */
  readonly isOffered: (props: StepsProps) => boolean
  readonly isAtDock?: boolean
  /** The question before the step; a step without one is taken at once. */
  readonly confirmation?: Confirmation
  /** Takes the step with the chosen dock or the input, and resolves with a sentence that confirms it. */
  readonly take: (shipment: Shown, value: string, key: string) => Promise<string>
}

const missingOf = ({ progress: { missingPallets } }: Shown): string => {
  if (missingPallets === 0) return "All expected pallets have passed."
  return missingPallets === 1
    ? "1 expected pallet has not passed, and will be missing."
    : `${missingPallets} expected pallets have not passed, and will be missing.`
}

/** The id of the shipment that the reader has entered: by its number at the facility or, if none has that number, by its id. */
const writtenId = async (shipment: Shown, input: string): Promise<number> => {
  const { nodes: [match] } = await run(board, { ...slugsOf(shipment), shipmentNumber: input, first: 1 })
  if (match !== undefined) return match.id
  if (/^\d{1,15}$/.test(input)) return Number(input)
  throw new Fault(`There is no shipment ${input} at ${shipment.facility.name}.`, "NOT_FOUND")
}

/** Whether the shipment has reached one of these states. */
const has = ({ statusEvents }: Shown, ...states: ReadonlyArray<string>): boolean =>
  statusEvents.some(({ status }) => states.includes(status))

const isThere = (shipment: Shown): boolean => has(shipment, "AT_FACILITY", "DOOR_ASSIGNED")

const isOpen = ({ status }: Shown): boolean => status === "SCHEDULED" || status === "ARRIVED"

const mayNote = ({ rights, shipment }: StepsProps): boolean =>
  rights.checksIn && isOpen(shipment) && !has(shipment, "CHECKED_OUT")

/** Whether the truck can still be reported at the facility, or get a door: a truck at a dock is past both. */
const mayComeIn = (props: StepsProps): boolean => mayNote(props) && props.shipment.status === "SCHEDULED"

/** The steps, in the order of their buttons. */
const steps: ReadonlyArray<Step> = [
  {
    label: "Arrive",
    isOffered: ({ mayMove, shipment }) => mayMove && shipment.status === "SCHEDULED",
    isAtDock: true,
    take: async ({ id }, dockSlug, key) => {
      await run(arriveShipment, { input: { shipmentId: id, dockSlug } }, key)
      return `The shipment has arrived at dock ${dockSlug}.`
    }
  },
  {
    label: "Assign the door",
    isOffered: mayComeIn,
    isAtDock: true,
    take: async ({ id }, dockSlug, key) => {
      await run(checkInShipment, { input: { shipmentId: id, step: "DOOR_ASSIGNED", dockSlug } }, key)
      return `The truck is assigned to dock ${dockSlug}.`
    }
  },
  {
    label: "At the facility",
    isOffered: (props) => mayComeIn(props) && !isThere(props.shipment),
    take: async ({ id }, _, key) => {
      await run(checkInShipment, { input: { shipmentId: id, step: "AT_FACILITY" } }, key)
      return "The truck is at the facility."
    }
  },
  {
    label: "Check out",
    isOffered: (props) => mayNote(props) && (isThere(props.shipment) || props.shipment.status === "ARRIVED"),
    take: async ({ id }, _, key) => {
      await run(checkInShipment, { input: { shipmentId: id, step: "CHECKED_OUT" } }, key)
      return "The truck has checked out."
    }
  },
  {
    label: "Depart",
    isOffered: ({ mayMove, shipment }) => mayMove && shipment.status === "ARRIVED",
    confirmation: {
      confirm: "Depart for good",
      isFinal: true,
      what: (shipment) =>
        missingOf(shipment) +
        " The departure is final: it completes the orders, notifies the customer, and cannot be undone."
    },
    take: async ({ id }, _, key) => {
      await run(departShipment, { input: { shipmentId: id } }, key)
      return "The shipment has departed."
    }
  },
  {
    label: "Link",
    isOffered: ({ rights, shipment }) => rights.steps && isOpen(shipment),
    confirmation: {
      confirm: "Link",
      isFinal: false,
      what: () =>
        "The two shipments belong together: no order moves away from either, and neither can be cancelled.",
      field: "Number or id of the other shipment"
    },
    take: async (shipment, input, key) => {
      const linkedShipmentId = await writtenId(shipment, input)
      await run(linkShipments, { input: { shipmentId: shipment.id, linkedShipmentId } }, key)
      return `The shipment is linked to ${input}.`
    }
  },
  {
    label: "Cancel the shipment",
    isOffered: ({ rights, shipment: { progress, status } }) =>
      rights.cancels && status === "SCHEDULED" && progress.passedPallets === 0,
    confirmation: {
      confirm: "Cancel it for good",
      isFinal: true,
      what: () => "It is cancelled with its orders. That is final: its number cannot be used again."
    },
    take: async ({ id }, _, key) => {
      await run(cancelShipment, { input: { shipmentId: id } }, key)
      return "The shipment is cancelled."
    }
  }
]

interface QuestionProps extends Confirmation {
  readonly step: Step
  readonly shipment: Shown
  readonly done: (words: string) => void
  readonly close: () => void
}

/** The dialog before a step; Escape closes it, and the focus returns to the button that opened it. */
const Question = ({ close, confirm, done, field, isFinal, shipment, step, what }: QuestionProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const { fault, sendIt } = useSending(async (input: string, key) =>
    done(await step.take(shipment, input, key))
  )
  return (
    <dialog
      class="card question"
      ref={dialog}
      aria-labelledby="question"
      aria-describedby="asked"
      onClose={close}
    >
      <form onSubmit={submitting((valueOf) => sendIt(valueOf("written")))}>
        <h2 id="question">{step.label} {shipment.shipmentNumber}</h2>
        <p id="asked">{what(shipment)}</p>
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

/** The id of the section, which gets the focus after a step. */
const section = "steps"

/** The section of a shipment's page that offers steps, until the shipment has departed or been cancelled. */
export const Steps = (props: StepsProps) => {
  const { reload, rights: { docks }, shipment } = props
  /** The step that waits for its confirmation. */
  const [open, setOpen] = useState<Step>()
  const [choice, setChoice] = useState<string>()
  const [sentence, setSentence] = useState("")
  const moveFocus = useMovedFocus()
  const done = (words: string): void => {
    setOpen(undefined)
    setSentence(words)
    moveFocus(section)
    reload()
  }
  /** Closes the question, unless another question has been opened since: the event of a closed dialog comes a moment later. */
  const close = (): void => setOpen((now) => now === open ? undefined : now)
  const offers = steps.filter(({ isOffered }) => isOffered(props))
  /** The expected dock, unless the reader chooses another. */
  const dock = choice ?? (docks.includes(shipment.dockSlug) ? shipment.dockSlug : docks[0] ?? "")
  const { fault, sendIt } = useSending(
    async ({ dockSlug, label }: { readonly dockSlug: string; readonly label: string }, key) => {
      setSentence("")
      const step = offers.find((each) => each.label === label)
      if (step !== undefined) done(await step.take(shipment, dockSlug, key))
    }
  )
  if (offers.length === 0 && open === undefined && sentence === "" && fault === undefined) return null
  return (
    <section class="card try no-print" id={section} tabindex={-1} aria-label="Move the shipment">
      {sentence === "" ? <FaultNote fault={fault} /> : null}
      <div class="buttons">
        {offers.some(({ isAtDock }) => isAtDock)
          ? (
            <label class="dock">
              Dock{" "}
              <Select
                value={dock}
                options={docks.map((each) => [each, each])}
                onChange={({ currentTarget }) => setChoice(currentTarget.value)}
              />
            </label>
          )
          : null}
        {offers.map((step) => (
          <Plain
            key={step.label}
            disabled={step.isAtDock === true && dock === ""}
            onClick={() =>
              step.confirmation === undefined
                ? sendIt({ label: step.label, dockSlug: step.isAtDock === true ? dock : "" })
                : setOpen({ ...step })}
          >
            {step.label}
            {step.confirmation === undefined ? "" : "…"}
          </Plain>
        ))}
      </div>
      {open?.confirmation === undefined
        ? null
        : (
          <Question
            key={open}
            step={open}
            shipment={shipment}
            done={done}
            close={close}
            {...open.confirmation}
          />
        )}
      <StatusNote>{sentence}</StatusNote>
    </section>
  )
}
