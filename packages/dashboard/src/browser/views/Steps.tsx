/** Moves a shipment on by hand: it arrives, departs or is cancelled. What is final is asked once more. */
import { useState } from "preact/hooks"
import { faultOf } from "../api/request.ts"
import type { Fault } from "../api/request.ts"
import { arrive, cancel, depart } from "../api/tower.ts"
import { useFocus, useMovedFocus } from "../ui/focus.ts"
import { FaultNote } from "../ui/Parts.tsx"
import type { Shown } from "./OrderCard.tsx"

/** A step that is asked once more before it is taken. */
interface Final {
  readonly label: string
  /** What the button says that takes it. */
  readonly confirm: string
  /** What it does, in words for people. */
  readonly what: string
  readonly said: string
  readonly take: (id: number) => Promise<unknown>
}

const departure = ({ progress: { missingPallets } }: Shown): Final => ({
  label: "Depart",
  confirm: "Depart for good",
  what: `${
    missingPallets === 0
      ? "All expected pallets have passed."
      : missingPallets === 1
      ? "1 expected pallet has not passed, and will be missing."
      : `${missingPallets} expected pallets have not passed, and will be missing.`
  } The departure is final: it completes the orders, the customer is told, and it cannot be taken back.`,
  said: "The shipment has departed.",
  take: depart
})

const cancellation: Final = {
  label: "Cancel the shipment",
  confirm: "Cancel it for good",
  what: "It is cancelled with its orders. That is final: its number cannot be used again.",
  said: "The shipment is cancelled.",
  take: cancel
}

/** The question before a step that is final. */
const Question = ({ act, close, step }: {
  readonly step: Final
  readonly act: () => void
  readonly close: () => void
}) => {
  const first = useFocus<HTMLButtonElement>()
  return (
    <div class="question" role="group" aria-labelledby="question">
      <p id="question">{step.what}</p>
      <div class="buttons">
        <button type="button" class="plain danger" onClick={act}>{step.confirm}</button>
        <button type="button" class="plain" ref={first} onClick={close}>Go back</button>
      </div>
    </div>
  )
}

interface StepsProps {
  readonly shown: Shown
  /** The docks of the facility. */
  readonly docks: ReadonlyArray<string>
  /** Whether the reader may report arrivals and departures. */
  readonly mayMove: boolean
  readonly mayCancel: boolean
  readonly reload: () => void
}

/** The id of the section, where the focus goes once a step is taken. */
const section = "steps"

/** The section of a shipment's page, for one that has neither departed nor been cancelled. */
export const Steps = ({ docks, mayCancel, mayMove, reload, shown }: StepsProps) => {
  const [asked, setAsked] = useState<Final>()
  const [isSending, setSending] = useState(false)
  const [said, setSaid] = useState("")
  const [fault, setFault] = useState<Fault>()
  const [chosen, setChosen] = useState<string>()
  const moveFocus = useMovedFocus()
  const { id, progress, status } = shown
  const dock = chosen ?? (shown.dockSlug || docks[0] || "")
  const finals = [
    ...(mayMove && status === "ARRIVED" ? [departure(shown)] : []),
    ...(mayCancel && status === "SCHEDULED" && progress.passedPallets === 0 ? [cancellation] : [])
  ]
  const mayArrive = mayMove && status === "SCHEDULED"

  const act = async (action: () => Promise<unknown>, words: string): Promise<void> => {
    if (isSending) return
    setSending(true)
    try {
      await action()
      setSaid(words)
      setFault(undefined)
    } catch (thrown) {
      setFault(faultOf(thrown))
    }
    setSending(false)
    setAsked(undefined)
    moveFocus(section)
    reload()
  }

  if (finals.length === 0 && !mayArrive && said === "") return null
  return (
    <section class="card try no-print" id={section} tabindex={-1} aria-label="Move the shipment">
      {fault === undefined ? null : <FaultNote fault={fault} />}
      {asked !== undefined
        ? (
          <Question
            step={asked}
            act={() => void act(() => asked.take(id), asked.said)}
            close={() => {
              setAsked(undefined)
              moveFocus(section)
            }}
          />
        )
        : (
          <div class="buttons">
            {mayArrive
              ? (
                <>
                  <label class="dock">
                    Dock{" "}
                    <select value={dock} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
                      {docks.map((each) => <option key={each} value={each}>{each}</option>)}
                    </select>
                  </label>
                  <button
                    type="button"
                    class="plain"
                    aria-disabled={isSending}
                    disabled={dock === ""}
                    onClick={() =>
                      void act(() => arrive(id, dock), `The shipment has arrived at dock ${dock}.`)}
                  >
                    Arrive
                  </button>
                </>
              )
              : null}
            {finals.map((step) => (
              <button
                key={step.label}
                type="button"
                class="plain"
                onClick={() => setAsked(step)}
              >
                {step.label}…
              </button>
            ))}
          </div>
        )}
      <p class="said soft" role="status">{said}</p>
    </section>
  )
}
