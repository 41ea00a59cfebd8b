/**
 * A customer that stays current with its pallets: it follows the log of messages, and takes webhooks where `WEBHOOK_PORT` is
 * set. `npm run customer -- --help` lists its settings. Messages go to standard output, everything else to standard error.
 */
import * as Client from "@dockline/client"
import { Books } from "./Books.ts"
import type { Entry } from "./Books.ts"
import * as Webhooks from "./Webhooks.ts"

const help = `Follows the messages of a business. Settings, with their defaults:

  DOCKLINE_URL=http://localhost:8080
  DOCKLINE_CLIENT_ID=acme-client
  DOCKLINE_CLIENT_SECRET=acme-client-secret
  BUSINESS=acme
  FACILITY=            all facilities
  BOOKS=customer.sqlite
  WEBHOOK_PORT=        no webhooks; else also
  WEBHOOK_SECRET=      whsec_…, or two with a comma between
  WEBHOOK_USERNAME= WEBHOOK_PASSWORD=   for HTTP Basic`

const {
  BOOKS = "customer.sqlite",
  BUSINESS = "acme",
  DOCKLINE_CLIENT_ID = "acme-client",
  DOCKLINE_CLIENT_SECRET = "acme-client-secret",
  DOCKLINE_URL = "http://localhost:8080",
  FACILITY,
  WEBHOOK_PASSWORD = "",
  WEBHOOK_PORT,
  WEBHOOK_SECRET = "",
  WEBHOOK_USERNAME
} = process.env

const onEntry = (
  { differences, isNew, message: { id, message, messageType }, pallets, way }: Entry
): void => {
  if (!isNew) return console.error(`Message ${id} came again by ${way}; it counts once.`)
  const { direction = "", LPN = "", orders = "" } = message
  console.log([id, messageType, direction, LPN, orders, `${pallets.length} on the truck`, way].join("  "))
  for (const difference of differences) console.error(`Message ${id} and our count differ: ${difference}`)
}

/** Follows the log until the signal says so. */
const follow = async (dockline: Client.Client, books: Books, signal: AbortSignal): Promise<void> => {
  const place = { business: BUSINESS, facility: FACILITY || undefined }
  while (!signal.aborted) {
    console.error(`Following ${BUSINESS} at ${DOCKLINE_URL}, after message ${books.lastId}.`)
    try {
      for await (const message of dockline.follow({ ...place, afterId: books.lastId, signal })) {
        onEntry(books.record(message, "log"))
      }
    } catch (error) {
      const droppedId = error instanceof Client.DocklineError ? error.droppedId : undefined
      if (droppedId === undefined || droppedId <= books.lastId) throw error
      console.error(`Messages up to ${droppedId} were dropped by age. Reconcile what they said.`)
      books.skipTo(droppedId)
    }
  }
}

const run = async (signal: AbortSignal): Promise<void> => {
  const books = new Books(BOOKS)
  const dockline = Client.make({
    url: DOCKLINE_URL,
    clientId: DOCKLINE_CLIENT_ID,
    clientSecret: DOCKLINE_CLIENT_SECRET,
    // A program that starts before the service waits for it.
    retryMillis: Infinity,
    onRetry: ({ message }, millis) => console.error(`${message}; trying again in ${millis / 1000} s`)
  })
  const receiver = WEBHOOK_PORT === undefined ? undefined : await Webhooks.listen({
    port: Number(WEBHOOK_PORT),
    books,
    secrets: WEBHOOK_SECRET.split(","),
    account: WEBHOOK_USERNAME === undefined
      ? undefined
      : { username: WEBHOOK_USERNAME, password: WEBHOOK_PASSWORD },
    onEntry
  })
  if (receiver !== undefined) console.error(`Taking webhooks at ${receiver.url}.`)
  try {
    await follow(dockline, books, signal)
    console.error(`Stopped after message ${books.lastId}; the next run goes on from there.`)
  } finally {
    await receiver?.close()
    books.close()
  }
}

if (process.argv.includes("--help")) {
  console.log(help)
} else {
  const stop = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort())
  await run(stop.signal).catch((error: unknown) => {
    console.error(
      `customer: ${
        error instanceof Client.DocklineError
          ? `${error.code}: ${error.message}. ${error.remedy}`
          : String(error)
      }`
    )
    process.exitCode = 1
  })
}
