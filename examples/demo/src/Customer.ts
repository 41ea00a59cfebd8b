/**
 * The customer of the demo: the follower and the webhook endpoints of `examples/customer` with one set of books, and
 * waiting for what it receives.
 */
import { Books } from "@dockline/example-customer/src/Books.ts"
import type { Way } from "@dockline/example-customer/src/Books.ts"
import { Follower, logOf } from "@dockline/example-customer/src/Follower.ts"
import type { Effect } from "@dockline/example-customer/src/Ledger.ts"
import type { PushMessage } from "@dockline/example-customer/src/PushMessage.ts"
import * as StateFile from "@dockline/example-customer/src/StateFile.ts"
import type { Account } from "@dockline/example-customer/src/WebhookAuth.ts"
import * as WebhookServer from "@dockline/example-customer/src/WebhookServer.ts"
import * as DemoData from "@dockline/server/lifecycle/DemoData"

/** A message, what it meant for the customer's count, and by which way it came first. */
export interface Received {
  readonly message: PushMessage
  readonly effect: Effect
  readonly way: Way
}

/** A message that was counted before, and by which way it came again. */
export interface Repeat {
  readonly id: number
  readonly way: Way
}

/** A customer that follows and takes webhooks. */
export interface Customer {
  readonly url: string
  readonly live: Promise<void>
  /** The first message received that is wanted, whether it is there or still to come. */
  readonly receives: (what: string, wanted: (received: Received) => boolean) => Promise<Received>
  /** A message that came again, as often as it is said; whether it has or is still to. */
  readonly receivesAgain: (id: number, times: number) => Promise<ReadonlyArray<Repeat>>
  readonly close: () => Promise<void>
}

/** Whom it follows, who may call it, and where it keeps its state. */
export interface CustomerOptions {
  readonly baseUrl: string
  readonly clientId: string
  readonly business: string
  readonly facility: string
  readonly stateFile: string
  readonly signingSecret: string
  readonly account: Account
}

const patienceMillis = 10_000

export const start = async (options: CustomerOptions, signal: AbortSignal): Promise<Customer> => {
  const all: Array<Received> = []
  const repeats: Array<Repeat> = []
  const news = new EventTarget()
  let isLive = false
  let failure: unknown
  let lastTrouble = ""
  const tell = () => news.dispatchEvent(new Event("news"))
  const books = await Books.open({
    log: logOf(options),
    store: StateFile.make(options.stateFile),
    onMessage: (message, effect, way) => {
      all.push({ message, effect, way })
      tell()
    },
    onRepeat: ({ id }, way) => {
      repeats.push({ id, way })
      tell()
    }
  })
  const webhooks = await WebhookServer.listen({
    ...options,
    host: "127.0.0.1",
    port: 0,
    secrets: [options.signingSecret],
    palletAuthentication: "token",
    completionAuthentication: "basic",
    books
  })
  const follower = new Follower({
    ...options,
    authUrl: options.baseUrl,
    clientSecret: DemoData.secretOf(options.clientId),
    books,
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
  return {
    url: webhooks.url,
    live,
    receives: (what, wanted) => until(`receive ${what}`, () => all.find(wanted)),
    receivesAgain: (id, times) =>
      until(`receive message ${id} again`, () => {
        const found = repeats.filter((repeat) => repeat.id === id)
        return found.length >= times ? found : undefined
      }),
    close: webhooks.close
  }
}
