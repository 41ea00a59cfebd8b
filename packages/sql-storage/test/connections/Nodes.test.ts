/** Errors that are only in a cluster: a shard that is elsewhere, and a node that lost another one. */
import { elsewhere, followShards } from "@dockline/sql-storage/connections/Nodes"
import { isAway } from "@dockline/sql-storage/connections/StorageErrors"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { test } from "../../../../test/support/Tests.ts"

const failure = (fields: { readonly code: string; readonly where?: string }): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      cause: Object.assign(new Error("of the server"), fields),
      message: "Query failed",
      operation: "query"
    })
  })

describe("work whose shard is elsewhere", () => {
  test.live("is repeated after nodes were forgotten", function*() {
    const steps: Array<string> = []
    const work = Effect.suspend(() => {
      steps.push("work")
      return steps.length < 5 ? Effect.fail(failure({ code: elsewhere })) : Effect.succeed("done")
    })
    const done = yield* followShards(Effect.sync(() => void steps.push("forget")))(work)
    assert.strictEqual(done, "done")
    assert.deepStrictEqual(steps, ["work", "forget", "work", "forget", "work"])
  })

  test("is not repeated after another failure", function*() {
    let times = 0
    const work = Effect.suspend(() => {
      times++
      return Effect.fail(failure({ code: "23505" }))
    })
    yield* Effect.flip(followShards(Effect.void)(work))
    assert.strictEqual(times, 1)
  })
})

describe("a node that lost another one", () => {
  it("is unavailable, and an error of its own is a defect", () => {
    assert.isTrue(isAway(failure({ code: "XX000", where: "while executing command on 10.0.0.1:5432" })))
    assert.isFalse(isAway(failure({ code: "XX000", where: "PL/pgSQL function f() line 3" })))
    assert.isFalse(isAway(failure({ code: "XX000" })))
  })
})
