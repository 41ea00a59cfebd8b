/** The suites find what is wrong with a storage, and nothing wrong with the right one. */
import * as Suite from "@dockline/testing/Suite"
import { followSuite } from "@dockline/testing/suites/FollowSuite"
import { intakeStoreSuite } from "@dockline/testing/suites/intake/IntakeStoreSuite"
import { messageLogSuite } from "@dockline/testing/suites/MessageLogSuite"
import { movementSuite } from "@dockline/testing/suites/movement/MovementSuite"
import { outageSuite } from "@dockline/testing/suites/OutageSuite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { MemoryDatabase } from "../src/memory/MemoryDatabase.ts"
import { StorageUnavailable } from "../src/values/Errors.ts"
import * as WrongMessages from "./WrongMessages.ts"
import * as Wrong from "./WrongStorages.ts"

/** The cases of a suite that a storage fails, and why; it passes all others. */
const failuresOf = <R>(suite: Suite.Suite<R>, stores: Layer.Layer<R>, options?: Suite.RunOptions) =>
  Effect.map(Suite.run(suite, stores, options), ({ failed, passed }) => {
    assert.strictEqual(failed.length + passed.length, suite.cases.length)
    for (const { reason } of failed) assert.isNotEmpty(reason)
    return failed
  })

/** The names of the cases of a suite that a storage fails; it passes all others. */
const failedBy = <R>(suite: Suite.Suite<R>, stores: Layer.Layer<R>, options?: Suite.RunOptions) =>
  Effect.map(failuresOf(suite, stores, options), (failed) => failed.map(({ name }) => name))

describe("the suite of intake", () => {
  const first = (strategy: string) =>
    `all at once: 50 first documents at once, alike, leave one shipment and one order: ${strategy}`
  const answer = "answers kept: D5.2 the answer of a document"
  const isKept = `${answer} is kept with what it wrote: a repeat writes nothing and finds the answer`
  const ofRefusal =
    "answers kept: D5.2 a refusal of the answer of a document is kept where it is to be kept, "
    + "and then is the answer though another was possible"
  const once = `${answer}: of many with one key at once exactly one is done`
  const storages: ReadonlyArray<readonly [string, ReturnType<typeof Wrong.storage>, Array<string>]> = [
    ["is right", Wrong.storage({}), []],
    ["keeps no answers", Wrong.keepsNoAnswers, [isKept, ofRefusal, once]],
    ["loses updates", Wrong.losesUpdates, [
      ofRefusal,
      "all at once: 50 documents at once on one order lose nothing",
      ...["APPEND", "MERGE", "DELETE", "OVERWRITE"].map(first),
      "all at once: documents at once that exchange orders between shipments neither wait for ever nor lose or double one"
    ]],
    ["lists in another order", Wrong.listsInAnotherOrder, [
      "snapshots: the target is the whole shipment as it is, with the orders that the document does not name",
      "fields: text is text, whatever it looks like",
      "ids: orders and items stand in id order, which is the order of their creation, whatever becomes of them",
      "ids: orders and items stand in id order also where their ids gain a digit",
      "applying: what a plan changes is changed, and what it does not name stays",
      "applying: D3.3 a remapped order moves, as it is, and keeps its ids and the time of its creation",
      "items without an lpn: D17.2 items without an lpn are known by identifier and sku within their order, also of any length",
      "all or nothing: D2.1 a document that is interrupted, at whatever moment, is written whole or not at all",
      "all at once: 50 documents at once on one order lose nothing"
    ]],
    ["writes in parts", Wrong.writesInParts, [
      "all or nothing: D2.1 a document that is interrupted, at whatever moment, is written whole or not at all",
      "all or nothing: D2.1 whoever reads meanwhile sees a document whole or not at all",
      isKept,
      ofRefusal,
      `${answer} that breaks keeps nothing, and frees the key`,
      once
    ]],
    ["forgets case serials", Wrong.forgetsCaseSerials, [
      "fields: what a document says in every field is what is read back",
      "fields: text is text, whatever it looks like",
      "applying: what a plan changes is changed, and what it does not name stays"
    ]],
    ["overlooks numbers", Wrong.overlooksNumbers, [
      "candidates: D17.2 the numbers in use on other shipments are those of orders of every status and direction, if asked for"
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
    "D7.2 ids and sentAt: ids of a business grow in the order of appending, and are unique over all businesses",
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
    readonly [string, ReturnType<typeof WrongMessages.log>, Array<string>, Array<string>]
  > = [
    ["is right", WrongMessages.log((page) => page), [], []],
    ["misses messages", WrongMessages.missesMessages, reading, [writers, replay]],
    ["pages with the newest first", WrongMessages.newestFirst, reading, [writers, replay]],
    ["forgets traces", WrongMessages.forgetsTraces, [traces], []],
    ["ends early", WrongMessages.endsEarly, [pages, texts], [replay]]
  ]

  it.live.each(logs)("find that a log %s", ([, stores, reads, follows]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* failedBy(messageLogSuite, stores), reads)
      const limit = follows.includes(writers) ? "1 second" : "1 minute"
      assert.deepStrictEqual(yield* failedBy(following, stores, { limit }), follows)
    }))
})

describe("the suite of shipments in motion", () => {
  const storages: ReadonlyArray<readonly [string, ReturnType<typeof Wrong.storage>, Array<string>]> = [
    ["is right", Wrong.storage({}), []],
    ["commits a pallet apart from its message", WrongMessages.appendsApart, [
      "all or nothing: D6.1 a pallet that breaks while it is decided or applied leaves nothing, and frees what it held"
    ]]
  ]

  it.live.each(storages)(
    "finds that a storage %s",
    ([, stores, expected]) =>
      Effect.map(failedBy(movementSuite, stores), (failed) => assert.deepStrictEqual(failed, expected))
  )

  it.live("finds that a storage wakes nobody", () =>
    Effect.gen(function*() {
      const wakeUps =
        "wake-ups: D7.1 who follows the log is woken by pallets and steps, without looking by itself"
      const isWakeUps = ({ name }: { readonly name: string }) => name === wakeUps
      const suite = { ...movementSuite, cases: movementSuite.cases.filter(isWakeUps) }
      const others = { ...movementSuite, cases: movementSuite.cases.filter((each) => !isWakeUps(each)) }
      const failures = yield* failuresOf(suite, WrongMessages.wakesNobody, { limit: "1 second" })
      assert.deepStrictEqual(failures.map(({ name }) => name), [wakeUps])
      // It waits for ever, for what a storage that wakes has at once.
      assert.include(failures[0]!.reason, "TimeoutError")
      assert.deepStrictEqual(yield* failedBy(suite, Wrong.storage({}), { limit: "1 second" }), [])
      assert.deepStrictEqual(yield* failedBy(others, WrongMessages.wakesNobody), [])
    }))
})

describe("suites over several instances", () => {
  const failedOver = <R>(suite: Suite.Suite<R>, stores: Layer.Layer<R, never, MemoryDatabase>) =>
    failedBy(suite, Layer.provide(stores, MemoryDatabase.layer))

  it.live("find what one instance keeps from the other", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* failedOver(intakeStoreSuite, Wrong.keepsWhatItRead), [])
      const failed = yield* failedOver(intakeStoreSuite, Suite.alternating(Wrong.keepsWhatItRead))
      assert.includeMembers(failed, [
        "applying: what a plan changes is changed, and what it does not name stays",
        "all or nothing: D5.3 a dry run sees and plans what the real run does, gives no ids and leaves nothing"
      ])
    }))

  it.live("find what a restart forgets", () =>
    Effect.gen(function*() {
      // Its database is made with it.
      const forgetful = Wrong.storage({})
      assert.deepStrictEqual(yield* failedBy(intakeStoreSuite, forgetful), [])
      const failed = yield* failedBy(intakeStoreSuite, Suite.reopening(forgetful))
      assert.isAbove(failed.length, intakeStoreSuite.cases.length / 2)
    }))
})

describe("the suite of outages", () => {
  const away = new StorageUnavailable({ cause: "away" })
  const storages: ReadonlyArray<readonly [string, ReturnType<typeof Wrong.withOutages>, number]> = [
    ["says so", Wrong.withOutages(Effect.fail(away)), 0],
    ["breaks", Wrong.withOutages(Effect.die(away)), 1]
  ]

  it.live.each(storages)(
    "finds whether a storage that is away %s",
    ([, stores, count]) =>
      Effect.map(failedBy(outageSuite, stores), (failed) => assert.strictEqual(failed.length, count))
  )
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

describe("running a suite under a test runner", () => {
  it.live("a case that waits for ever fails, the log is left out, and what kept a storage away is told", () =>
    Effect.gen(function*() {
      const tests: Array<() => Promise<void>> = []
      const written: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => void written.push(message))])
      const suite = Suite.make<never>("cases", ({ test }) => {
        test("waits", Effect.never)
        test("is away", Effect.fail(new StorageUnavailable({ cause: new Error("no route to the host") })))
        test("fails", Effect.fail("failure of the case"))
        test("logs", Effect.andThen(Effect.logInfo("an operator made a change"), Effect.logWarning("odd")))
      })
      const ends: Array<() => Promise<void>> = []
      const runner: Suite.Runner = {
        describe: (_, body) => body(),
        it: (_, run) => void tests.push(run),
        afterAll: (release) => void ends.push(release)
      }
      Suite.register(runner, suite, logger, Layer.empty, { limit: 50 })
      const results = yield* Effect.promise(() => Promise.allSettled(tests.map((run) => run())))
      yield* Effect.promise(() => Promise.all(ends.map((release) => release())))
      const reasons = results.map((result) => result.status === "rejected" ? String(result.reason) : "passed")
      assert.include(reasons[0], "Timeout")
      assert.include(reasons[1], "no route to the host")
      assert.deepStrictEqual(reasons.slice(2), ["failure of the case", "passed"])
      assert.deepStrictEqual(written, [["odd"]])
    }))
})
