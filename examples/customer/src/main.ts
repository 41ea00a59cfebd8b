/**
 * A customer's program that follows pallets: `npm run customer -- --help`.
 *
 * Messages go to standard output, everything else to standard error. Ctrl-C ends it with 0.
 */
import { textOf } from "./Failure.ts"
import { Follower } from "./Follower.ts"
import * as Settings from "./Settings.ts"
import * as StateFile from "./StateFile.ts"
import * as Table from "./Table.ts"

const follow = async (settings: Settings.Settings, signal: AbortSignal): Promise<void> => {
  const { json, stateFile } = settings
  const follower = await Follower.open({
    ...settings,
    store: StateFile.make(stateFile),
    onMessage: (message, effect) => {
      // Where a message would change your own records: do it so that a repeated id changes nothing.
      const lines = json ? [JSON.stringify({ ...message, effect })] : Table.linesOf(message, effect)
      console.log(lines.join("\n"))
    },
    onNotice: (notice) => console.error(Table.sentenceOf(notice))
  })
  const { business, facility, clientId, baseUrl } = settings
  console.error(
    `Following ${business}/${
      facility ?? "*"
    } at ${baseUrl} as ${clientId}, after message ${follower.lastId} ` +
      `(${stateFile}).`
  )
  if (!json) console.log(Table.head())
  await follower.run(signal)
  for (const summary of follower.summaries) console.error(`Under way: ${Table.summaryOf(summary)}`)
  console.error(`Stopped after message ${follower.lastId}; the next run goes on from there.`)
}

const main = async (): Promise<number> => {
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  // Whoever read the table has closed it.
  process.stdout.once("error", () => stop.abort())
  try {
    const request = Settings.read(process.argv.slice(2), process.env)
    if (request.type === "help") console.log(Settings.help)
    else await follow(request.settings, stop.signal)
    return 0
  } catch (error) {
    console.error(`customer: ${textOf(error)}`)
    return 1
  }
}

// The code is set and not exited with, so that output to a pipe is written to its end.
process.exitCode = await main()
