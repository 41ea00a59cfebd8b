/**
 * Pallets that should not have crossed a dock. The board shows them as soon as the service has judged them, until somebody acknowledges
 * them.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Message } from "../api/operations.ts"
import { href } from "../router.ts"
import { session, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { wrongEvents } from "../ui/lookup.ts"
import { palletName, textOf } from "../ui/messages.ts"
import { Alert, Plain } from "../ui/Parts.tsx"

interface WrongPallet {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly dockSlug: string
  readonly text: string
}

/** The most pallets that are kept. */
const keptAtMost = 50

const retryMillis = 2000

/** The wrong pallets in messages. */
export const wrongAmong = async (list: ReadonlyArray<Message>): Promise<ReadonlyArray<WrongPallet>> => {
  const events = await wrongEvents(list)
  return list.flatMap(({ id, message }, at) => {
    const event = events[at]
    if (event === undefined) return []
    const { dockSlug, lpn, verdict: { text } } = event
    const path = `/shipments/${textOf(message, "serviceShipmentId")}/pallets/${
      textOf(message, "servicePalletId")
    }`
    return [{ id, name: palletName({ lpn, ...message }), path, dockSlug, text }]
  })
}

/**
 * Follows the verdicts on pallets of a facility, and keeps the wrong ones that nobody has acknowledged, the latest first. They are stored
 * for the tab and its reader, so that a reload of the page, or a visit to another page, does not lose them, and whoever signs in after the
 * reader does not see them.
 */
export const useWrongPallets = (place: Place) => {
  const key = `dockline-wrong-pallets ${session.value?.clientId ?? ""} ${slugOf(place)}`
  const [all, setAll] = useState(() =>
    JSON.parse(sessionStorage.getItem(key) ?? "[]") as ReadonlyArray<WrongPallet>
  )
  useEffect(() => sessionStorage.setItem(key, JSON.stringify(all)), [all])
  const isShown = useRef(true)
  useEffect(() => () => void (isShown.current = false), [])
  const waiting = useRef<ReadonlyArray<Message>>([])
  /** Sends one request at a time, for all waiting messages, so that a board sends few requests however fast pallets pass. */
  const judge = async (message: Message): Promise<void> => {
    waiting.current = [...waiting.current, message]
    if (waiting.current.length > 1) return
    while (isShown.current && waiting.current.length > 0) {
      try {
        const some = waiting.current
        const wrong = (await wrongAmong(some)).toReversed()
        waiting.current = waiting.current.slice(some.length)
        setAll((before) => {
          const news = wrong.filter(({ id }) => before.every((other) => other.id !== id))
          return news.length === 0 ? before : [...news, ...before].slice(0, keptAtMost)
        })
      } catch {
        await new Promise((resolve) => setTimeout(resolve, retryMillis))
      }
    }
  }
  return {
    all,
    judge: (message: Message): void => void judge(message),
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
