/** The suites find what is wrong with a storage, and nothing wrong with the right one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Suite from "../src/testing/Suite.ts"
import { followSuite } from "../src/testing/suites/FollowSuite.ts"
import { intakeStoreSuite } from "../src/testing/suites/intake/IntakeStoreSuite.ts"
import { messageLogSuite } from "../src/testing/suites/MessageLogSuite.ts"
import * as Wrong from "./WrongStorages.ts"

/** The cases of a suite that a storage fails; it passes all others. */
const failedBy = <R>(
  suite: Suite.Suite<R>,
  stores: Layer.Layer<R>,
  options?: Suite.RunOptions
) =>
  Effect.map(Suite.run(suite, stores, options), ({ failed, passed }) => {
    assert.strictEqual(failed.length + passed.length, suite.cases.length)
    for (const { reason } of failed) assert.isNotEmpty(reason)
    return failed.map(({ name }) => name)
  })

describe("the suite of intake", () => {
  const first = (strategy: string) =>
    `all at once: 50 first documents at once, alike, leave one shipment and one order: ${strategy}`
  const storages: ReadonlyArray<readonly [string, ReturnType<typeof Wrong.storage>, Array<string>]> = [
    ["is right", Wrong.storage({}), []],
    ["loses updates", Wrong.losesUpdates, [
      "all at once: 50 documents at once on one order lose nothing",
      ...["APPEND", "MERGE", "DELETE", "OVERWRITE"].map(first),
      "all at once: documents at once that exchange orders between shipments neither wait for ever nor lose or double one",
      "all at once: documents at once end in a state, and get answers, that some order of them explains"
    ]],
    ["lists in another order", Wrong.listsInAnotherOrder, [
      "snapshots: the target is the whole shipment as it is, with the orders that the document does not name",
      "fields: text is text, whatever it looks like",
      "ids: orders and items stand in id order, which is the order of their creation, whatever becomes of them",
      "applying: what a plan changes is changed, and what it does not name stays",
      "applying: D3.3 a remapped order moves, as it is, and keeps its ids and the time of its creation",
      "all or nothing: D2.1 a document that is interrupted, at whatever moment, is written whole or not at all",
      "all at once: 50 documents at once on one order lose nothing"
    ]],
    ["writes in parts", Wrong.writesInParts, [
      "all or nothing: D2.1 a document that is interrupted, at whatever moment, is written whole or not at all",
      "all or nothing: D2.1 whoever reads meanwhile sees a document whole or not at all"
    ]],
    ["forgets case serials", Wrong.forgetsCaseSerials, [
      "fields: what a document says in every field is what is read back",
      "fields: text is text, whatever it looks like",
      "applying: what a plan changes is changed, and what it does not name stays"
    ]],
    ["uses ids again", Wrong.reusesIds, ["ids: ids are never used again, though what had them is gone"]],
    ["writes dry runs", Wrong.writesDryRuns, [
      "all or nothing: D5.3 a dry run sees and plans what the real run does, gives no ids and leaves nothing"
    ]]
  ]

  it.live.each(storages)(
    "finds that a storage %s",
    ([, stores, expected]) =>
      Effect.map(failedBy(intakeStoreSuite, stores), (failed) => assert.deepStrictEqual(failed, expected))
  )
})

describe("the suites of the message log", () => {
  const pages = "D8.1 reading: pages say whether there is more"
  const texts = "D8.1 reading: a page holds no more text than it may, but one message at least"
  const traces =
    "traces: messages carry the trace that they were appended in; without one, or not sampled, none"
  const reading = [
    "D7.2 ids and sentAt: ids grow in the order of appending, and are unique over all businesses",
    "D7.2 ids and sentAt: sentAt never decreases, though the clock of a writer goes back",
    traces,
    "D8.1 reading: by id, time, facility and type",
    pages,
    texts,
    "D7.4 retention: what has been dropped is an error for whoever asks for it"
  ]
  const writers =
    "following: 8 writers at full speed: paging by id, reading by time and following each see everything once, in order"
  /** The cases that such logs do not let wait for ever, which takes its time to find out, and one where they do. */
  const following = {
    ...followSuite,
    cases: followSuite.cases.filter(({ name }) => name === writers || name.includes("replays in pages"))
  }
  const replay = following.cases[1]!.name
  const logs: ReadonlyArray<
    readonly [string, ReturnType<typeof Wrong.log>, Array<string>, Array<string>]
  > = [
    ["is right", Wrong.log((page) => page), [], []],
    ["misses messages", Wrong.missesMessages, reading, [writers, replay]],
    ["pages with the newest first", Wrong.newestFirst, reading, [writers, replay]],
    ["forgets traces", Wrong.forgetsTraces, [traces], []],
    ["ends early", Wrong.endsEarly, [pages, texts], [replay]]
  ]

  it.live.each(logs)("find that a log %s", ([, stores, reads, follows]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* failedBy(messageLogSuite, stores), reads)
      const limit = follows.includes(writers) ? "1 second" : "1 minute"
      assert.deepStrictEqual(yield* failedBy(following, stores, { limit }), follows)
    }))
})

describe("running a suite without a test runner", () => {
  it.live("a case that fails, breaks or waits for ever has failed, and the others are run", () =>
    Effect.gen(function*() {
      const suite = Suite.make<never>("cases", ({ describe, test }) => {
        test("fails", Effect.fail("failure of the case"))
        describe("outer", () => {
          test("breaks", Effect.die(new Error("defect of the case")))
          describe("inner", () => test("waits", Effect.never))
        })
        test("passes", Effect.void)
      })
      const { failed, ...report } = yield* Suite.run(suite, Layer.empty, { limit: 10 })
      assert.deepStrictEqual(report, { suite: "cases", passed: ["passes"] })
      assert.deepStrictEqual(failed.map(({ name }) => name), [
        "fails",
        "outer: breaks",
        "outer: inner: waits"
      ])
      const reasons = failed.map(({ reason }) => reason)
      assert.include(reasons[0], "failure of the case")
      assert.include(reasons[1], "defect of the case")
      assert.include(reasons[2], "Timeout")
    }))
})
