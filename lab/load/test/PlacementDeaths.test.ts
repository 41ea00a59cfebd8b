import { partitionCount } from "@dockline/core/DeliveryStore"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { fileURLToPath } from "node:url"
import { connections, start } from "../../../packages/webhook-adapter/test/placement/PlacementInstances.ts"
import { PlacementLedger, taking } from "../../../packages/webhook-adapter/test/placement/PlacementLedger.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

const script = fileURLToPath(
  new URL("../../../packages/webhook-adapter/test/placement/PlacementInstance.ts", import.meta.url)
)

/** D12.4 allows 30 s; twice the expiry leaves room for a busy machine. */
const takeoverLimit = 10_000

/** Starts an instance as a process of its own. */
const startProcess = (name: string, ledger: PlacementLedger, url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, ["--conditions=@dockline/source", script], {
        env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: Redacted.value(url) },
        stdio: ["ignore", "pipe", "inherit"]
      })
      let rest = ""
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n")
        rest = lines.pop()!
        for (const line of lines) {
          if (line.startsWith("+")) ledger.started(name, Number(line.slice(1)))
          else ledger.stopped(name, Number(line.slice(1)))
        }
      })
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Two instances that share the partitions: one in this process, and one to be killed. */
const shared = Effect.fnUntraced(function*(
  use: (child: ChildProcess, ledger: PlacementLedger) => Effect.Effect<void>
) {
  const { url } = yield* TestDatabase.create
  const ledger = new PlacementLedger()
  yield* start("here", ledger, connections(url))
  yield* ledger.untilShared("here")
  const child = yield* startProcess("there", ledger, url)
  yield* ledger.untilShared("here", "there")
  assert.deepStrictEqual(ledger.overlaps, [])
  yield* use(child, ledger)
})

describe("an instance that cannot say so is replaced (D12.4)", () => {
  it.live("when it is killed by kill -9", () =>
    shared((child, ledger) =>
      Effect.gen(function*() {
        child.kill("SIGKILL")
        ledger.died("there")
        const millis = yield* taking(ledger.untilShared("here"))
        yield* Effect.log(`Taken over ${millis} ms after kill -9`)
        assert.isBelow(millis, takeoverLimit)
      })
    ))

  it.live(
    "when it is frozen, and it stops by itself when it goes on, and gets its share again",
    () =>
      shared((child, ledger) =>
        Effect.gen(function*() {
          child.kill("SIGSTOP")
          const millis = yield* taking(ledger.until(() => ledger.countOf("here") === partitionCount))
          yield* Effect.log(`Taken over ${millis} ms after it was frozen`)
          assert.isBelow(millis, takeoverLimit)
          // Frozen, it cannot tell that it lost anything: it runs all that it had, as far as it knows.
          assert.strictEqual(ledger.countOf("there"), partitionCount / 2)
          assert.lengthOf(ledger.overlaps, partitionCount / 2)
          child.kill("SIGCONT")
          yield* ledger.until(() => ledger.countOf("there") === 0)
          yield* ledger.untilShared("here", "there")
          assert.lengthOf(ledger.overlaps, partitionCount / 2)
        })
      ),
    40_000
  )
})
