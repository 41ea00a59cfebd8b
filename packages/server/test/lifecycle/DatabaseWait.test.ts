/**
 * A step of the start while the database is away: it is waited for, and what was begun before is given back.
 */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { SchemaNewer } from "@dockline/sql-storage/schema/Migrations"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { Migrator, SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ServerDatabase from "../../src/lifecycle/ServerDatabase.ts"

const cause = new Error("reason")
const away = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause }) })
const lockTimeout = new SqlError.SqlError({ reason: new SqlError.LockTimeoutError({ cause }) })
const wrong = new SqlError.SqlError({ reason: new SqlError.SqlSyntaxError({ cause }) })

const refusing = (code: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause: Object.assign(new Error("no"), { code }),
      operation: "connect"
    })
  })
const untrustedCertificate = refusing("SELF_SIGNED_CERT_IN_CHAIN")
const pooler = refusing("08P01")

const migrating = (error: SqlError.SqlError) =>
  new Migrator.MigrationError({ cause: error, kind: "Failed", message: "Migration failed" })

/** Runs a step that fails like this twice, with time passing; says how often it was tried and what came of it. */
const triesOf = Effect.fnUntraced(function*(failure: Cause.Cause<unknown>) {
  let count = 0
  const lines: Array<string> = []
  const step = Effect.suspend(() => ++count > 2 ? Effect.succeed("done") : Effect.failCause(failure))
  const fiber = yield* Effect.forkChild(
    Effect.exit(ServerDatabase.withWait(step)).pipe(
      Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
    )
  )
  yield* TestClock.adjust("1 minute")
  const exit = yield* Fiber.join(fiber)
  return { count, lines, isDone: Exit.isSuccess(exit) }
})

describe("a step of the start", () => {
  it.effect.each<readonly [string, Cause.Cause<unknown>]>([
    ["the database cannot be reached", Cause.fail(away)],
    ["the storage is unavailable", Cause.fail(new StorageUnavailable({ cause: away }))],
    ["another instance migrates", Cause.fail(lockTimeout)],
    ["the database goes away in a migration", Cause.fail(migrating(away))],
    ["a migration has no turn at a table that is in use", Cause.fail(migrating(lockTimeout))],
    ["the rollback breaks beside the failure", Cause.combine(Cause.fail(wrong), Cause.die(away))]
  ])("is repeated, and said so, when %s", ([, failure]) =>
    Effect.gen(function*() {
      const { count, isDone, lines } = yield* triesOf(failure)
      assert.deepStrictEqual([count, isDone, lines.length], [3, true, 2])
      assert.match(lines[0]!, /^The database is not ready yet: /)
    }))

  it.effect.each<readonly [string, Cause.Cause<unknown>]>([
    ["a statement is wrong", Cause.fail(wrong)],
    ["a migration is wrong", Cause.fail(migrating(wrong))],
    ["the schema is newer", Cause.fail(new SchemaNewer({ number: 2, newest: 1, owner: "" }))],
    ["TLS is refused", Cause.fail(untrustedCertificate)],
    ["the storage refuses TLS", Cause.fail(new StorageUnavailable({ cause: untrustedCertificate }))],
    ["a pooler refuses a parameter", Cause.fail(pooler)],
    ["it is interrupted", Cause.interrupt()]
  ])("fails at once when %s", ([, failure]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* triesOf(failure), { count: 1, lines: [], isDone: false })
    }))

  it.effect("is given up after half a minute", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.exit(ServerDatabase.withWait(Effect.fail(away))))
      yield* TestClock.adjust("31 seconds")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(fiber)))
    }))
})

class Part extends Context.Service<Part, { readonly count: number }>()("test/Part") {}

describe("a layer of the start", () => {
  it.effect("is built anew, and what a build that failed has taken is given back before the next one", () =>
    Effect.gen(function*() {
      let count = 0
      let builds = 0
      const taking = Layer.effectDiscard(Effect.acquireRelease(
        Effect.sync(() => void count++),
        () => Effect.sync(() => void count--)
      ))
      const part = Layer.effect(
        Part,
        Effect.suspend(() => ++builds < 3 ? Effect.fail(away) : Effect.succeed({ count }))
      ).pipe(Layer.provideMerge(taking))
      yield* Effect.scoped(Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(Layer.build(ServerDatabase.awaitedLayer(part)))
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(Context.get(yield* Fiber.join(fiber), Part).count, 1)
      }))
      assert.deepStrictEqual([builds, count], [3, 0])
    }))
})
