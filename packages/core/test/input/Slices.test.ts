/**
 * Long computations give way, often and fairly, whatever a body is full of.
 */
import { Effect, Fiber, Result } from "effect"
import { assert, describe, it } from "vitest"
import * as DocumentInput from "../../src/document/DocumentInput.ts"
import { errorOf } from "../../src/document/DocumentInput.ts"
import { jsonReader } from "../../src/document/DocumentReader.ts"
import * as JsonText from "../../src/input/JsonText.ts"
import * as JsonWriter from "../../src/input/JsonWriter.ts"
import * as Slices from "../../src/input/Slices.ts"

const rules = DocumentInput.defaultRules
const shape = DocumentInput.shape(rules, DocumentInput.defaultItemLimit)

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const head = `{"business":"acme","facility":"east","direction":"OUTBOUND","orderNumber":"SO-1"`
const fill = (open: string, part: string, close: string, size = 256 * 1024): string =>
  open + part.repeat(Math.floor(size / part.length)) + close

/** Why a body is no document. */
const refusalOf = (text: string) =>
  Effect.runSync(
    Effect.flip(jsonReader(rules, DocumentInput.defaultItemLimit)(encode(text))).pipe(
      Effect.map(errorOf),
      Effect.provideService(Slices.Pause, Effect.void)
    )
  )

/** What each slice cost, and the outcome. */
const costs = <A>(steps: Slices.Steps<A>): { readonly steps: ReadonlyArray<number>; readonly value: A } => {
  const costs: Array<number> = []
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return { steps: costs, value }
    costs.push(value)
  }
}

const serials = JSON.stringify({
  items: Array.from(
    { length: 10 },
    () => ({ caseSerials: Array.from({ length: 10_000 }, () => ({ id: "1" })) })
  )
})

describe("a long text", () => {
  // @threat requests.10
  it.each([
    ["empty objects", fill("[", "{},", "{}]")],
    ["numbers", fill("[", "1,", "1]")],
    ["lists in lists", fill("[", "[[[[1]]]],", "1]")],
    ["serial numbers", serials],
    ["keys", `{${Array.from({ length: 10_000 }, (_, at) => `"k${at}${"x".repeat(90)}":${at}`).join(",")}}`],
    ["objects that are not small", fill("[", `{"a":"${"x".repeat(5000)}"},`, "1]")],
    ["spaces", fill("[", " ", "1]")]
  ])("of %s is read in steps of bounded cost, into what JSON.parse makes of it", (_, text) => {
    const { steps, value } = costs(JsonText.readInSteps(text))
    assert(Result.isSuccess(value))
    assert.deepStrictEqual(value.success, { value: JSON.parse(text), isWhole: true })
    assert.isBelow(Math.max(...steps), Slices.sliceCost * 2)
    // A slice reads no more than some values, or characters of whitespace or texts.
    const total = steps.reduce((sum, cost) => sum + cost, 0)
    assert.isAtLeast(total, text.length / 200)
  })

  it.each([
    ["unknown fields", fill(`{"a":[`, "{},", ""), "a"],
    ["a list where an object is due", fill("[", "1,", ""), ""],
    ["entries of a wrong type", fill(`${head},"items":[`, `${" ".repeat(40)}1,`, ""), "items[0]"],
    [
      "a wrong type in an item",
      fill(`${head},"items":[`, `{"quantity":"5"},`, "", 150_000),
      "items[0].quantity"
    ],
    ["a key twice", fill(`{"a":1,"a":2,"b":"`, "x", ""), ""]
  ])("is read no further when it holds %s", (_, text, path) => {
    const error = refusalOf(text)
    assert(error._tag === "MalformedDocument")
    assert.strictEqual(error.errors[0]?.path, path)
  })

  it("holds too many items as soon as the first one too many is read", () => {
    const text = fill(`${head},"items":[`, "{},", "and no end")
    assert.strictEqual(refusalOf(text).code, "TOO_MANY_ITEMS")
  })

  it("that is no document for one misspelt field names it throughout its first part", () => {
    const items = Array.from({ length: 5000 }, (_, at) => ({ lpn: `L-${at}`, sku: "S", quantitiy: at }))
    const error = refusalOf(`${head},"items":${JSON.stringify(items)}}`)
    assert(error._tag === "MalformedDocument")
    assert.isAbove(error.errors.length, 900)
    assert.deepStrictEqual(error.errors[0], {
      path: "items[0].quantitiy",
      detail: "is not a field of a document; did you mean quantity?"
    })
  })

  it("of nothing but fields without a value is refused for their number", () => {
    const fields = Array.from({ length: 20_000 }, (_, at) => `"k${at}":null`).join(",")
    const { value } = costs(JsonText.readInSteps(`${head},${fields}}`, shape))
    assert(Result.isFailure(value))
    assert.strictEqual(value.failure.detail, "the object has over 16384 keys")
  })
})

describe("a computation", () => {
  /** Does so many slices, and tells of each. */
  function* busy(slices: number, onSlice: () => void): Slices.Steps<number> {
    for (let at = 0; at < slices; at++) {
      onSlice()
      yield Slices.sliceCost
    }
    return slices
  }

  it("that is short never waits, and a long one does after each slice", () => {
    let pauses = 0
    const pause = Effect.sync(() => void pauses++)
    const run = <A>(steps: Slices.Steps<A>) =>
      Effect.runSync(Effect.provideService(Slices.run(steps), Slices.Pause, pause))
    run(JsonText.readInSteps(`${head}}`))
    assert.strictEqual(pauses, 0)
    assert.strictEqual(run(busy(7, () => undefined)), 7)
    assert.strictEqual(pauses, 7)
  })

  // @threat requests.10
  it("takes turns with the others: one slice in each round of the event loop, the longest waiting first", async () => {
    let round = 0
    let isDone = false
    const count = () => {
      round++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const slices: Array<readonly [name: number, round: number]> = []
    const names = Array.from({ length: 20 }, (_, name) => name)
    await Effect.runPromise(
      Effect.all(names.map((name) => Slices.run(busy(5, () => void slices.push([name, round])))), {
        concurrency: "unbounded"
      })
    )
    isDone = true
    // The first slice of each is run at once, by whoever has begun it.
    const later = slices.slice(names.length)
    assert.deepStrictEqual(later.map(([name]) => name), Array.from({ length: 4 }, () => names).flat())
    assert.strictEqual(new Set(later.map(([, round]) => round)).size, later.length)
  })

  /** Runs a computation of so many slices for a business, and tells of each. */
  const runOf = (
    business: string,
    slices: number,
    onSlice: () => void,
    run: typeof Slices.run = Slices.run
  ) => Effect.runFork(Slices.inTurnsOf(business, run(busy(slices, onSlice))))

  const ended = (fibers: ReadonlyArray<Fiber.Fiber<unknown>>) => Effect.runPromise(Fiber.joinAll(fibers))

  // @threat requests.10
  it("takes the turn of its business, however many computations another business has", async () => {
    const slices: Array<string> = []
    const many = Array.from({ length: 200 }, () => runOf("acme", 5, () => slices.push("acme")))
    const start = slices.length
    await ended([runOf("globex", 20, () => slices.push("globex"))])
    const later = slices.slice(start + 1)
    assert.deepStrictEqual(later.slice(0, 38), Array.from({ length: 19 }, () => ["acme", "globex"]).flat())
    await ended(many)
    assert.strictEqual(slices.length, 200 * 5 + 20)
  })

  it("that needs much memory is one of two at a time, and businesses take turns there as well", async () => {
    const slices: Array<string> = []
    const begin = (business: string, name: string) =>
      runOf(business, 3, () => slices.push(name), Slices.runInTurn)
    const all = [
      ...["a1", "a2", "a3", "a4", "a5", "a6"].map((name) => begin("acme", name)),
      begin("globex", "g1"),
      begin("globex", "g2")
    ]
    // Who has given up holds no turn, before it and after it came.
    await Effect.runPromise(Fiber.interrupt(all[2]!))
    await Effect.runPromise(Fiber.interrupt(all[0]!))
    await ended(all.slice(3))
    // The first slice of each is run at once, by whoever has begun it.
    const order = Array.from(new Set(slices.slice(8)))
    assert.deepStrictEqual(order.slice(0, 4), ["a2", "a4", "g1", "a5"])
    assert.sameMembers(order.slice(4), ["a6", "g2"])
  })

  it("that is given up lets the others go on", async () => {
    const fiber = Effect.runFork(Slices.run(busy(1000, () => undefined)))
    await Effect.runPromise(Fiber.interrupt(fiber))
    assert.strictEqual(await Effect.runPromise(Slices.run(busy(3, () => undefined))), 3)
  })
})

describe("a long answer", () => {
  it("is written in short parts, however its entries are spread over lists", () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ at, none: undefined, empty: [] }))
    const value = {
      "a\"b": Array.from({ length: 100 }, () => ({ items: items(100) })),
      date: new Date(0),
      last: {}
    }
    const parts = Array.from(JsonWriter.parts(value))
    assert.strictEqual(parts.join(""), JSON.stringify(value))
    assert.isAtMost(Math.max(...parts.map((part) => part.length)), 4000)
    assert.deepStrictEqual(Array.from(JsonWriter.parts(items(200))), [JSON.stringify(items(200))])
  })

  it("has its long texts in parts too, none of which ends within a character", () => {
    for (
      const text of ["\n\"~é", "🚚", "a🚚", "\ud83d", "a\ud83d\ud83d\ude9a"].map((each) =>
        each.repeat(100_000)
      )
    ) {
      for (const value of [text, { text, after: [text] }]) {
        const parts = Array.from(JsonWriter.parts(value))
        assert.strictEqual(parts.join(""), JSON.stringify(value))
        assert.isAtMost(Math.max(...parts.map((part) => part.length)), 6 * 65_536)
        assert.isAbove(parts.length, 1)
      }
    }
  })

  it("is written in steps, as JSON.stringify writes it", () => {
    const value = {
      none: undefined,
      nothing: null,
      text: "\u2028\"",
      list: Array.from({ length: 1000 }, (_, at) => ({ at, list: [at, null], "a\"b": "x" })),
      empty: []
    }
    const { steps, value: text } = costs(JsonWriter.write(value))
    assert.strictEqual(text, JSON.stringify(value))
    assert.isAtLeast(steps.length, 1000)
  })
})
