/**
 * A customer's program that stays current with its pallets: `npm run customer -- --help`.
 *
 * Messages go to standard output, everything else to standard error. Ctrl-C ends it with 0.
 */
import { once } from "node:events"
import { Books } from "./Books.ts"
import { textOf } from "./Failure.ts"
import { Follower, logOf } from "./Follower.ts"
import * as Settings from "./Settings.ts"
import * as StateFile from "./StateFile.ts"
import * as Table from "./Table.ts"
import * as WebhookServer from "./WebhookServer.ts"

const run = async (settings: Settings.Settings, signal: AbortSignal): Promise<void> => {
  const { json, stateFile } = settings
  const books = await Books.open({
    log: logOf(settings),
    store: StateFile.make(stateFile),
    onMessage: (message, effect, way) => {
      // Where a message would change your own records: do it so that a repeated id changes nothing.
      const lines = json ? [JSON.stringify({ ...message, effect, way })] : Table.linesOf(message, effect, way)
      console.log(lines.join("\n"))
    },
    onRepeat: ({ id }, way) => console.error(`Message ${id} came again by ${way}; it is counted once.`)
  })
  const webhooks = await takeWebhooks(settings, books)
  try {
    if (!json) console.log(Table.head())
    if (settings.follow) await follow(settings, books, signal)
    else if (!signal.aborted) await once(signal, "abort")
  } finally {
    await webhooks?.close()
  }
  for (const summary of books.summaries) console.error(`Under way: ${Table.summaryOf(summary)}`)
  console.error(
    settings.follow
      ? `Stopped after message ${books.lastId}; the next run goes on from there.`
      : "Stopped; the service sends again what it has no answer to."
  )
}

const follow = async (settings: Settings.Settings, books: Books, signal: AbortSignal): Promise<void> => {
  const { baseUrl, business, clientId, facility, stateFile } = settings
  console.error(
    `Following ${business}/${facility ?? "*"} at ${baseUrl} as ${clientId}, after message ${books.lastId} ` +
      `(${stateFile}).`
  )
  const onNotice = (notice: Parameters<typeof Table.sentenceOf>[0]) => console.error(Table.sentenceOf(notice))
  await new Follower({ ...settings, books, onNotice }).run(signal)
}

const takeWebhooks = async ({ business, facility, webhooks }: Settings.Settings, books: Books) => {
  if (webhooks === undefined) return undefined
  const server = await WebhookServer.listen({
    ...webhooks,
    business,
    facility,
    books,
    onRefused: (path, status, reason) => console.error(Table.refusalOf(path, status, reason))
  })
  console.error(
    `Taking webhooks for ${business}/${
      facility ?? "*"
    } at ${server.url}/api/palletEvent (${webhooks.palletAuthentication}) and ${server.url}/api/shipmentComplete (${webhooks.completionAuthentication}).`
  )
  return server
}

const main = async (): Promise<number> => {
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  // Whoever read the table has closed it.
  process.stdout.once("error", () => stop.abort())
  try {
    const request = Settings.read(process.argv.slice(2), process.env)
    if (request.type === "help") console.log(Settings.help)
    else await run(request.settings, stop.signal)
    return 0
  } catch (error) {
    console.error(`customer: ${textOf(error)}`)
    return 1
  }
}

// The code is set and not exited with, so that output to a pipe is written to its end.
process.exitCode = await main()
