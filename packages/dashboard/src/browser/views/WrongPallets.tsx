/**
 * Pallets that crossed a dock and should not have. The board shows them as soon as the service has judged them, until somebody acknowledges them.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import { pallet } from "../api/operations.ts"
import type { Message, Pallet } from "../api/operations.ts"
import { run } from "../api/request.ts"
import { href } from "../router.ts"
import { palletName, textOf } from "../ui/messageKinds.ts"
import { Alert, Plain } from "../ui/Parts.tsx"

type Verdict = Pallet["events"][number]["verdict"]

/** Whether a tower was told that the pallet should not go on. */
export const isWrong = ({ kind }: Verdict): boolean => kind !== "EXPECTED" && kind !== "REPEATED"

interface WrongPallet {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly dockSlug: string
  readonly text: string
}

/** The most that are kept: nobody reads more. */
const keptAtMost = 50

const retryMillis = 2000

/** The pallet that a message tells of, if it is wrong. */
export const judge = async ({ id, message }: Message): Promise<WrongPallet | undefined> => {
  const shipmentId = textOf(message, "serviceShipmentId")
  const palletId = textOf(message, "servicePalletId")
  const details = await run(pallet, { shipmentId: Number(shipmentId), id: palletId })
  const event = details?.events.find(({ messageId }) => messageId === id)
  if (event === undefined || !isWrong(event.verdict)) return undefined
  const { dockSlug, verdict: { text } } = event
  const path = `/shipments/${shipmentId}/pallets/${palletId}`
  return { id, name: palletName(message), path, dockSlug, text }
}

/** Follows the verdicts on pallets, and keeps the wrong ones that nobody has acknowledged, the last one first. */
export const useWrongPallets = () => {
  const [all, setAll] = useState<ReadonlyArray<WrongPallet>>([])
  const isShown = useRef(true)
  useEffect(() => () => void (isShown.current = false), [])
  const judgeAtLast = async (message: Message): Promise<void> => {
    while (isShown.current) {
      try {
        const pallet = await judge(message)
        if (pallet === undefined) return
        return setAll((before) =>
          before.some(({ id }) => id === pallet.id) ? before : [pallet, ...before].slice(0, keptAtMost)
        )
      } catch {
        await new Promise((resolve) => setTimeout(resolve, retryMillis))
      }
    }
  }
  // One at a time, so that a board asks no faster than it is answered, however fast pallets pass.
  const judging = useRef(Promise.resolve())
  return {
    all,
    judge: (message: Message): void =>
      void (judging.current = judging.current.then(() => judgeAtLast(message))),
    acknowledge: (id: number): void => setAll((before) => before.filter((other) => other.id !== id))
  }
}

export const WrongPalletList = (
  { pallets: { acknowledge, all } }: { readonly pallets: ReturnType<typeof useWrongPallets> }
) => (
  <div role="alert">
    {all.length === 0 ? null : (
      <ul class="wrong-pallets" aria-label="Wrong pallets">
        {all.map(({ dockSlug, id, name, path, text }) => (
          <li key={id} class="card">
            <Alert tone="bad">Dock {dockSlug}</Alert>
            <a class="mono" href={href(path)}>{name}</a>
            <span class="what">{text}</span>
            <Plain
              of={name}
              onClick={() => acknowledge(id)}
            >
              Acknowledge
            </Plain>
          </li>
        ))}
      </ul>
    )}
  </div>
)
