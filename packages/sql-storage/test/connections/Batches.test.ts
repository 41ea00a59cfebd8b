import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { test } from "../../../../test/support/Tests.ts"
import * as Batches from "../../src/connections/Batches.ts"

interface Job extends Batches.Job {
  readonly name: string
}

/** A job `name` with the keys that its name consists of, such as "ab". */
const job = (name: string, rest: Partial<Job> = {}): Job => ({
  name,
  holder: "acme",
  keys: Array.from(name),
  size: 1,
  alone: false,
  ...rest
})

/** Batches whose transactions end when they are told to. */
const world = Effect.fnUntraced(function*(rest: Partial<Batches.BatchesConfig<Job, string, string>> = {}) {
  const log: Array<string> = []
  let waiting = 0
  const gates = new Map<string, Deferred.Deferred<void>>()
  const pass = Effect.fnUntraced(function*(name: string) {
    log.push(name)
    const gate = yield* Deferred.make<void>()
    gates.set(name, gate)
    yield* Deferred.await(gate)
  })
  const submit = yield* Batches.make<Job, string, string>({
    concurrency: 1,
    enough: 1,
    most: { jobs: 3, keys: 10, size: 10 },
    waitMillis: 1000,
    onWaiting: (change) => {
      waiting += change
    },
    tooLate: Effect.fail("too late"),
    transact: (take) =>
      Effect.gen(function*() {
        const batch = take()
        yield* pass(batch.map(({ name }) => name).join("+"))
        return batch.map(({ name }) => Effect.succeed(`${name} done`))
      }),
    alone: ({ name }) => Effect.as(pass(`(${name})`), `${name} done alone`),
    ...rest
  })
  /** Ends transactions and jobs that run alone. */
  const end = (...names: ReadonlyArray<string>) =>
    Effect.andThen(
      Effect.forEach(names, (name) => Deferred.succeed(gates.get(name)!, undefined)),
      Effect.repeat(Effect.yieldNow, { times: 10 })
    )
  const send = (...jobs: ReadonlyArray<Job>) =>
    Effect.forEach(jobs, (each) => Effect.forkChild(submit(each), { startImmediately: true }))
  return { log, send, end, waiting: () => waiting }
})

const answers = (fibers: ReadonlyArray<Fiber.Fiber<string, string>>) =>
  Effect.map(
    Effect.forEach(fibers, Fiber.await),
    (exits) =>
      exits.map((exit) =>
        Exit.isSuccess(exit) ? exit.value : Exit.hasInterrupts(exit) ? "interrupted" : String(exit.cause)
      )
  )

describe("batches", () => {
  test("a job goes at once, and what comes meanwhile goes together, up to the bounds", function*() {
    const { end, log, send, waiting } = yield* world()
    const fibers = yield* send(job("a"), job("b"), job("c"), job("d", { size: 9 }), job("e"))
    assert.deepStrictEqual(log, ["a"])
    assert.strictEqual(waiting(), 4)
    yield* end("a")
    assert.deepStrictEqual(log, ["a", "b+c"])
    yield* end("b+c")
    assert.deepStrictEqual(log, ["a", "b+c", "d+e"])
    assert.strictEqual(waiting(), 0)
    yield* end("d+e")
    assert.deepStrictEqual(yield* answers(fibers), ["a done", "b done", "c done", "d done", "e done"])
  })

  test("no more batches run at once than are allowed", function*() {
    const { end, log, send } = yield* world({ concurrency: 2 })
    yield* send(job("a"), job("b"), job("c"), job("d"))
    assert.deepStrictEqual(log, ["a", "b"])
    yield* end("b")
    assert.deepStrictEqual(log, ["a", "b", "c+d"])
  })

  test("while others run a batch begins once enough jobs wait, or all transactions are slow", function*() {
    const { end, log, send } = yield* world({
      concurrency: 3,
      enough: 2,
      most: { jobs: 2, keys: 10, size: 10 }
    })
    yield* send(job("a"), job("b"))
    assert.deepStrictEqual(log, ["a"])
    yield* send(job("c"))
    assert.deepStrictEqual(log, ["a", "b+c"])
    yield* end("b+c")
    yield* TestClock.adjust(250)
    yield* send(job("d"))
    assert.deepStrictEqual(log, ["a", "b+c", "d"])
  })

  test("jobs that share a key go one after another, in the order in which they came", function*() {
    const { end, log, send } = yield* world({ concurrency: 2 })
    // "bc" shares a key with both: "c" comes after it, though nothing under way has its key.
    yield* send(job("ab"), job("bc"), job("c"), job("d"))
    assert.deepStrictEqual(log, ["ab", "d"])
    yield* end("ab")
    assert.deepStrictEqual(log, ["ab", "d", "bc"])
    yield* end("bc")
    assert.deepStrictEqual(log, ["ab", "d", "bc", "c"])
  })

  test("holders take turns in filling a batch", function*() {
    const { end, log, send } = yield* world()
    yield* send(
      ...Array.from("abcdefg", (name) => job(name)),
      job("x", { holder: "globex" }),
      job("y", { holder: "globex" })
    )
    yield* end("a")
    assert.deepStrictEqual(log, ["a", "b+x+c"])
    yield* end("b+x+c")
    assert.deepStrictEqual(log, ["a", "b+x+c", "d+y+e"])
  })

  test("a holder that was in a batch comes after those that were not", function*() {
    const { end, log, send } = yield* world()
    const holders = ["v", "w", "x", "y", "z"]
    yield* send(
      job("a"),
      ...holders.flatMap((holder) => [1, 2].map((n) => job(`${holder}${n}`, { holder, keys: [] })))
    )
    yield* end("a")
    yield* end("v1+w1+x1")
    assert.deepStrictEqual(log, ["a", "v1+w1+x1", "y1+z1+v2"])
  })

  test("a job that runs alone waits for its keys and for no batch", function*() {
    const { end, log, send } = yield* world()
    const fibers = yield* send(job("a"), job("b", { alone: true }), job("a", { alone: true }), job("b"))
    assert.deepStrictEqual(log, ["a", "(b)"])
    yield* end("a")
    assert.deepStrictEqual(log, ["a", "(b)", "(a)"])
    yield* end("(b)", "(a)")
    assert.deepStrictEqual(log, ["a", "(b)", "(a)", "b"])
    yield* end("b")
    assert.deepStrictEqual(yield* answers(fibers), ["a done", "b done alone", "a done alone", "b done"])
  })

  test("a job whose batch could not do it goes alone, and keeps its keys meanwhile", function*() {
    const { end, log, send } = yield* world({
      transact: (take) =>
        Effect.sync(() =>
          take().map(({ name }) => {
            log.push(name)
            return name === "a" ? "alone" : Effect.succeed(`${name} done`)
          })
        )
    })
    const fibers = yield* send(job("a"), job("ab"), job("c"))
    assert.deepStrictEqual(log, ["a", "(a)", "c"])
    yield* end("(a)")
    assert.deepStrictEqual(log, ["a", "(a)", "c", "ab"])
    assert.deepStrictEqual(yield* answers(fibers), ["a done alone", "ab done", "c done"])
  })

  test("a job that waits for too long gets an answer, and never goes", function*() {
    const { end, log, send } = yield* world()
    const early = yield* send(job("a"), job("b"))
    yield* TestClock.adjust(600)
    const late = yield* send(job("c"))
    yield* TestClock.adjust(400)
    yield* end("a")
    assert.deepStrictEqual(log, ["a", "c"])
    const [, second] = yield* answers(early)
    assert.include(second, "too late")
    yield* end("c")
    assert.deepStrictEqual(yield* answers(late), ["c done"])
  })

  test("an interruption takes a waiting job out, ends one that runs alone, and waits for one in a batch", function*() {
    const { end, log, send } = yield* world()
    const [inBatch, waiting, alone, after] = yield* send(
      job("a"),
      job("b"),
      job("c", { alone: true }),
      job("bc")
    )
    yield* Fiber.interrupt(waiting!)
    yield* Fiber.interrupt(alone!)
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(inBatch!), { startImmediately: true })
    yield* Effect.repeat(Effect.yieldNow, { times: 10 })
    assert.isUndefined(interrupting.pollUnsafe())
    yield* end("a")
    yield* Fiber.join(interrupting)
    assert.deepStrictEqual(log, ["a", "(c)", "bc"])
    yield* end("bc")
    assert.deepStrictEqual(yield* answers([after!]), ["bc done"])
  })

  test("a transaction that fails answers all jobs of its batch, and one that never begins leaves them waiting", function*() {
    let transactions = 0
    const gate = yield* Deferred.make<void>()
    const { send } = yield* world({
      transact: (take) =>
        Effect.gen(function*() {
          if (++transactions === 1) {
            yield* Deferred.await(gate)
            return []
          }
          take()
          return yield* Effect.die("broken")
        })
    })
    const fibers = yield* send(job("a"), job("b"))
    yield* Deferred.succeed(gate, undefined)
    for (const answer of yield* answers(fibers)) assert.include(answer, "broken")
    assert.strictEqual(transactions, 2)
  })

  test("of what waits the job that came first goes first, however long its keys were taken", function*() {
    const { end, log, send } = yield* world({ most: { jobs: 2, keys: 10, size: 10 } })
    yield* send(job("a"), job("b"), job("ac"), job("d"), job("e"))
    yield* send(job("a", { holder: "globex" }), job("f", { holder: "globex" }))
    yield* end("a")
    assert.deepStrictEqual(log, ["a", "b+f"])
    yield* end("b+f")
    assert.deepStrictEqual(log, ["a", "b+f", "ac+d"])
    yield* end("ac+d")
    assert.deepStrictEqual(log, ["a", "b+f", "ac+d", "e+a"], "keys are those of all holders")
  })

  const floods: ReadonlyArray<readonly [string, (n: number) => Job]> = [
    ["of one holder", (n) => job(`${n}`, { keys: [`${n}`] })],
    ["that share a key", (n) => job(`${n}`, { keys: ["a"] })],
    ["that share a key with every other", (n) => job(`${n}`, { keys: [`${n % 2 === 0 ? n : "a"}`] })],
    ["of a holder each", (n) => job(`${n}`, { holder: `${n}`, keys: [`${n}`] })],
    ["that run alone", (n) => job(`${n}`, { keys: [`${n}`], alone: true })],
    ["that share a key and run alone", (n) => job(`${n}`, { keys: ["a"], alone: true })]
  ]
  for (const [name, jobAt] of floods) {
    for (const fate of ["are done", "are interrupted", "wait too long"]) {
      // @threat load.8
      test(`of many jobs ${name}, which ${fate}, each is looked at a few times`, function*() {
        const count = 2000
        let looks = 0
        const watch = (whole: Job): Job =>
          new Proxy(whole, {
            get: (target, key, receiver) => {
              looks++
              return Reflect.get(target, key, receiver)
            }
          })
        const { end, log, send, waiting } = yield* world({ most: { jobs: 32, keys: 256, size: 1000 } })
        yield* send(job("first", { keys: ["a"] }))
        const fibers = yield* send(...Array.from({ length: count }, (_, n) => watch(jobAt(n))))
        if (fate === "are interrupted") yield* Fiber.interruptAll(fibers)
        if (fate === "wait too long") yield* TestClock.adjust(1000)
        for (let at = 0; at < log.length; at++) yield* end(log[at]!)
        yield* answers(fibers)
        assert.strictEqual(waiting(), 0)
        assert.isAtMost(looks, 20 * count)
      })
    }
  }

  test("once the scope is closed, jobs that wait and jobs that come are interrupted", function*() {
    const scope = yield* Scope.make()
    const { log, send, waiting } = yield* Scope.provide(world(), scope)
    const before = yield* send(job("a"), job("b"))
    yield* Scope.close(scope, Exit.void)
    const after = yield* send(job("c"), job("d", { alone: true }))
    yield* Effect.repeat(Effect.yieldNow, { times: 10 })
    assert.isTrue(after.every((fiber) => fiber.pollUnsafe() !== undefined))
    assert.deepStrictEqual(yield* answers([...before, ...after]), Array(4).fill("interrupted"))
    assert.deepStrictEqual(log, ["a"])
    assert.strictEqual(waiting(), 0)
  })
})
