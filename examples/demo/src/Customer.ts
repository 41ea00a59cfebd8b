/**
 * The customer of the demo: it follows the log and takes webhooks with one set of books, as `examples/customer` does, and
 * waits for what it receives.
 */
import * as Client from "@dockline/client"
import { Books } from "@dockline/example-customer/src/Books.ts"
import type { Entry } from "@dockline/example-customer/src/Books.ts"
import * as Webhooks from "@dockline/example-customer/src/Webhooks.ts"
import * as DemoData from "@dockline/server/lifecycle/DemoData"

/** Who calls the endpoints of a customer, by HTTP Basic. */
export interface Account {
  readonly username: string
  readonly password: string
}

/** A customer that follows and takes webhooks. */
export interface Customer {
  readonly url: string
  /** The first entry that matches, whether it is there or still to come. */
  readonly receives: (what: string, matches: (entry: Entry) => boolean) => Promise<Entry>
  /** The repeats of a message, once there are so many. */
  readonly receivesAgain: (id: number, count: number) => Promise<ReadonlyArray<Entry>>
  readonly close: () => Promise<void>
}

/** What the customer follows, who may call it, and where it keeps its books. */
export interface CustomerOptions {
  readonly baseUrl: string
  readonly clientId: string
  readonly business: string
  readonly facility: string
  readonly booksFile: string
  readonly signingSecret: string
  readonly account: Account
}

const patienceMillis = 10_000

export const start = async (options: CustomerOptions, signal: AbortSignal): Promise<Customer> => {
  const entries: Array<Entry> = []
  const news = new EventTarget()
  let failure: unknown
  const announce = () => news.dispatchEvent(new Event("news"))
  const onEntry = (entry: Entry) => {
    entries.push(entry)
    announce()
  }
  const books = new Books(options.booksFile)
  const { account, business, facility, signingSecret } = options
  const receiver = await Webhooks.listen({ port: 0, books, secrets: [signingSecret], account, onEntry })
  const client = Client.make({
    url: options.baseUrl,
    clientId: options.clientId,
    clientSecret: DemoData.secretOf(options.clientId)
  })
  const follow = async () => {
    const log = { business, facility, afterId: 0, intervalMillis: 100, signal }
    for await (const message of client.follow(log)) onEntry(books.record(message, "log"))
  }
  const following = follow().catch((error: unknown) => {
    failure = error
    announce()
  })

  /** Looks now and at all news, until there is something. */
  const until = <A>(what: string, look: () => A | undefined): Promise<A> =>
    new Promise((resolve, reject) => {
      const check = () => {
        const match = look()
        if (match !== undefined) settle(() => resolve(match))
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
        () => settle(() => reject(new Error(`The customer does not ${what} in ${patienceMillis / 1000} s`))),
        patienceMillis
      )
      news.addEventListener("news", check)
      signal.addEventListener("abort", check)
      check()
    })

  return {
    url: receiver.url,
    receives: (what, matches) =>
      until(`receive ${what}`, () => entries.find((entry) => entry.isNew && matches(entry))),
    receivesAgain: (id, count) =>
      until(`receive message ${id} again`, () => {
        const repeats = entries.filter(({ isNew, message }) => !isNew && message.id === id)
        return repeats.length >= count ? repeats : undefined
      }),
    close: async () => {
      client.close()
      await following
      await receiver.close()
      books.close()
    }
  }
}
