/**
 * `npm run test:faults -- embedded`: the bundled server on its embedded database, killed, stopped, doubled and on a full
 * disk, for as many seeds as wished. It ends with 1 and the story of the run when anything that was acknowledged is
 * lost, or anything else is not as promised.
 */
import { Console, Data, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Program from "./Program.ts"
import { run } from "./Run.ts"

/** Something was not as promised. */
export class Broken extends Data.TaggedError("Broken")<{ readonly message: string }> {}

const Positive = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))

const positive = (name: string, value: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withSchema(Positive),
    Flag.withDescription(description),
    Flag.withDefault(value)
  )

/** Whoever interrupts it waits until everything that was started has been stopped. */
const finished = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A> =>
  Effect.callback((resume) => {
    const leaving = new AbortController()
    const working = work(leaving.signal)
    working.then((result) => resume(Effect.succeed(result)), (error: unknown) => resume(Effect.die(error)))
    return Effect.promise(() => {
      leaving.abort()
      return working.then(() => {}, () => {})
    })
  })

const runAll = Effect.fn("embedded")(function*(options: {
  readonly runs: number
  readonly seed: number
  readonly kills: number
  readonly keep: boolean
}) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dockline-faults-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const program = yield* Effect.promise(() => Program.make(folder))
  const total = { acknowledged: 0, failed: 0, kills: 0, disasters: 0, checked: 0, webhooks: 0 }
  for (let seed = options.seed; seed < options.seed + options.runs; seed++) {
    const result = yield* finished((signal) => run(program, seed, options.kills, options.keep, signal))
    total.acknowledged += result.acknowledged
    total.failed += result.failed
    total.kills += result.kills
    total.disasters += result.disasters.length
    total.checked += result.checked
    total.webhooks += result.webhooks
    yield* Console.log(
      `seed ${seed}: ${result.acknowledged} acknowledged, ${result.failed} tries without, ${result.kills} processes `
        + `killed (${result.disasters.join(", ")}), ${result.checked} checked, ${result.webhooks} webhooks: `
        + (result.faults.length === 0 ? "all there" : `${result.faults.length} wrong`)
    )
    if (result.faults.length > 0) {
      return yield* new Broken({
        message: `${result.story.join("\n")}\n\n${result.faults.join("\n")}\n\n`
          + `Again: npm run test:faults -- embedded --runs 1 --seed ${seed} --kills ${options.kills}`
      })
    }
  }
  yield* Console.log(
    `${options.runs} runs: ${total.acknowledged} operations acknowledged, ${total.failed} tries without an answer, `
      + `${total.disasters} disasters, ${total.kills} processes killed, ${total.checked} checked, `
      + `${total.webhooks} webhooks, lost: 0`
  )
}, Effect.scoped)

/** The command, below `npm run test:faults`. Full disks take root, or `unshare --user --map-root-user --mount`. */
export const embeddedCommand = Command.make(
  "embedded",
  {
    runs: positive("runs", 5, "How many runs, each with the next seed; 5 unless given"),
    seed: positive("seed", 1, "The seed of the first run; 1 unless given"),
    kills: positive("kills", 6, "How many disasters there are in each run; 6 unless given"),
    keep: Flag.Boolean("keep").pipe(
      Flag.withDescription("Leave the data folder of each run where it is"),
      Flag.withDefault(false)
    )
  },
  runAll
).pipe(
  Command.withDescription(
    "Kill the bundled server and its embedded database, fill its disk, start a second one on it"
  )
)
