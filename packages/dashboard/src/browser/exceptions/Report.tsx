/** The form that reports an exception of a shipment. */
import { run } from "../api/request.ts"
import type { PalletChoice, ReportDraft } from "../capability.ts"
import { submitting, useFocus, useSending } from "../ui/forms.ts"
import { FaultNote } from "../ui/Frame.tsx"
import { Select, TextInput } from "../ui/Parts.tsx"
import { nameIn, optionsOf } from "../ui/tables.ts"
import { Ends, kinds } from "./ExceptionList.tsx"
import { reportException } from "./ExceptionLists.ts"
import type { Exception } from "./ExceptionLists.ts"

const priorities: Readonly<Record<Exception["priority"], string>> = { LOW: "Low", HIGH: "High" }

const nameOf = ({ id, lpn }: PalletChoice): string => lpn === "" ? `Pallet ${id} without an LPN` : lpn

/** The pallet of a report: the choice whose name was entered, or else the input as an LPN. */
const aboutOf = (input: string, choices: ReadonlyArray<PalletChoice>) => {
  if (input === "") return {}
  const choice = choices.find((choice) => nameOf(choice) === input)
  return choice === undefined || choice.id === "" ? { lpn: input } : { palletId: choice.id }
}

/** The most pallets that the field suggests; readers type the LPNs of other pallets. */
const suggestedAtMost = 1000

interface ReportProps {
  readonly shipmentId: number
  readonly choices: ReadonlyArray<PalletChoice>
  readonly draft: ReportDraft | undefined
  readonly done: (exception: Exception) => void
  readonly cancel: () => void
}

export const Report = ({ cancel, choices, done, draft, shipmentId }: ReportProps) => {
  const { fault, sendIt } = useSending(
    async (input: Parameters<NonNullable<typeof reportException.types>>[0]["input"], key) =>
      done(await run(reportException, { input }, key))
  )
  const first = useFocus<HTMLSelectElement>()
  const palletChoices = draft === undefined ? choices : [draft.pallet, ...choices]
  return (
    <form
      class="exception-form"
      aria-label="Report an exception"
      onSubmit={submitting((valueOf) =>
        sendIt({
          shipmentId,
          kind: nameIn(kinds, valueOf("kind")) ?? "OTHER",
          priority: nameIn(priorities, valueOf("priority")) ?? "LOW",
          description: valueOf("description"),
          ...aboutOf(valueOf("pallet"), palletChoices)
        })
      )}
    >
      <FaultNote fault={fault} />
      <label>
        What is wrong
        <Select name="kind" options={optionsOf(kinds)} first={draft?.kind} ref={first} />
      </label>
      <label>
        Priority
        <Select name="priority" options={optionsOf(priorities)} />
      </label>
      <label class="about">
        About
        <TextInput
          name="pallet"
          placeholder="The whole shipment, or an LPN"
          defaultValue={draft === undefined ? "" : nameOf(draft.pallet)}
          proposals={choices.slice(0, suggestedAtMost).map((choice) =>
            choice.id === "" ? [nameOf(choice), "Not seen"] : [nameOf(choice)]
          )}
        />
      </label>
      <label class="words">
        Description
        <TextInput name="description" required spellcheck defaultValue={draft?.description ?? ""} />
      </label>
      <Ends word="Report" cancel={cancel} />
    </form>
  )
}
