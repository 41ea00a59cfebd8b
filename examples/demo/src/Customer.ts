/**
 * The customer of the demo: the follower of `examples/customer`, and waiting for what it receives.
 */
import { Follower } from "@dockline/example-customer/src/Follower.ts"
import type { Effect } from "@dockline/example-customer/src/Ledger.ts"
import type { PushMessage } from "@dockline/example-customer/src/PushMessage.ts"
import * as StateFile from "@dockline/example-customer/src/StateFile.ts"
import * as DemoData from "@dockline/example-server/src/DemoData.ts"

/** A message, and what it meant for the customer's count. */
export interface Received {
  readonly message: PushMessage
  readonly effect: Effect
}

/** A customer that follows. */
export interface Customer {
  /** Resolves when it follows live. */
  readonly live: Promise<void>
  /** The first message received that is wanted, whether it is there or still to come. */
  readonly receives: (what: string, wanted: (received: Received) => boolean) => Promise<Received>
}

/** Whom it follows, and where it keeps its state. */
export interface CustomerOptions {
  readonly baseUrl: string
  readonly clientId: string
  readonly business: string
  readonly facility: string
  readonly stateFile: string
}

const patienceMillis = 10_000

/** Starts a customer, which follows until the signal says so. */
export const start = async (options: CustomerOptions, signal: AbortSignal): Promise<Customer> => {
  const all: Array<Received> = []
  const news = new EventTarget()
  let isLive = false
  let failure: unknown
  let lastTrouble = ""
  const tell = () => news.dispatchEvent(new Event("news"))
  const follower = await Follower.open({
    ...options,
    authUrl: options.baseUrl,
    clientSecret: DemoData.secretOf(options.clientId),
    store: StateFile.make(options.stateFile),
    onMessage: (message, effect) => {
      all.push({ message, effect })
      tell()
    },
    onNotice: (notice) => {
      if (notice.type === "live") isLive = true
      if (notice.type === "waiting") lastTrouble = `; its last trouble: ${notice.reason}`
      tell()
    }
  })
  follower.run(signal).catch((error: unknown) => {
    failure = error
    tell()
  })

  /** Looks now and at all news, until there is something to find. */
  const until = <A>(what: string, look: () => A | undefined): Promise<A> =>
    new Promise((resolve, reject) => {
      const check = () => {
        const found = look()
        if (found !== undefined) settle(() => resolve(found))
        else if (failure !== undefined) settle(() => reject(failure))
        else if (signal.aborted) settle(() => reject(signal.reason))
      }
      const settle = (how: () => void) => {
        clearTimeout(timer)
        news.removeEventListener("news", check)
        signal.removeEventListener("abort", check)
        how()
      }
      const timer = setTimeout(
        () =>
          settle(() =>
            reject(new Error(`The customer does not ${what} in ${patienceMillis / 1000} s${lastTrouble}`))
          ),
        patienceMillis
      )
      news.addEventListener("news", check)
      signal.addEventListener("abort", check)
      check()
    })

  const live = until("follow live", () => isLive || undefined).then(() => {})
  // Nobody may have come to await it when it fails.
  live.catch(() => {})
  return { live, receives: (what, wanted) => until(`receive ${what}`, () => all.find(wanted)) }
}
