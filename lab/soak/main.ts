/**
 * The soak: `npm run test:soak`, `npm run test:soak -- --help`. Runs random histories of the whole service on PostgreSQL and in memory,
 * for hours if necessary, and compares them. It ends with the shortest history that differs, and the command that draws it again.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as RandomHistories from "../../test/storage/histories/RandomHistories.ts"
import { positive } from "../Flags.ts"
import * as Cluster from "./Cluster.ts"
import { duration, line } from "./Progress.ts"

interface Options {
  readonly histories: number
  readonly steps: number
  readonly seed: number
}

/** The number of histories that share a database. */
const perDatabase = 2000

/** How often progress is printed, in milliseconds: in place on a terminal, otherwise as lines. */
const tellEvery = process.stdout.isTTY ? 1000 : 15_000

const tell = (text: string): void =>
  void process.stdout.write(process.stdout.isTTY ? `\r${text}\u001b[K` : `${text}\n`)

const soak = Effect.fn("soak")(function*({ histories, steps, seed }: Options) {
  console.log(`${histories.toLocaleString("en")} histories of ${steps} steps, from seed ${seed} on`)
  const server = yield* Cluster.start
  const started = performance.now()
  let done = 0
  let isLooking = true
  const seconds = () => (performance.now() - started) / 1000
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(
    Effect.sleep(tellEvery),
    Effect.sync(() => isLooking ? tell(line({ done, of: histories, seconds: seconds() })) : undefined)
  )))
  for (let first = 0; first < histories; first += perDatabase) {
    const count = Math.min(perDatabase, histories - first)
    yield* Effect.scoped(Effect.gen(function*() {
      const url = yield* Cluster.database(server, `soak_${first}`)
      const postgres = yield* Layer.build(RandomHistories.layer(url))
      yield* RandomHistories.runAll(postgres, { count, steps, seed: seed + first }, {
        onDone: () => void done++,
        onDifference: (seed) => {
          isLooking = false
          tell(`The history of seed ${seed} does not run alike; looking for the shortest that does not`)
        }
      })
    }))
  }
  tell(
    `${histories.toLocaleString("en")} histories ran alike in ${duration(seconds())}, ${
      (histories / seconds()).toFixed(1)
    } a second\n`
  )
}, Effect.scoped)

const command = Command.make(
  "test:soak",
  {
    histories: positive("histories", 100_000, "How many histories; 100,000 unless given"),
    steps: positive("steps", 50, "How many steps each has; 50 unless given"),
    seed: positive(
      "seed",
      1 + Math.trunc(Math.random() * 0x3fff_ffff),
      "The seed of the first, the next one has the next; drawn unless given"
    )
  },
  soak
).pipe(
  Command.withDescription("Random histories of the whole service, in memory and on PostgreSQL")
)

const program = Command.run(command, { version: "1" }).pipe(
  Effect.catchTag("Differs", ({ message }) =>
    Effect.sync(() => {
      console.error(`\n${message}`)
      process.exitCode = 1
    })),
  Effect.provide(NodeServices.layer)
)

NodeRuntime.runMain(program)
