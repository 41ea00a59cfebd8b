/** Laws themselves: the report of a broken one, and the way to reproduce it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { documents } from "../src/generators/Generators.ts"
import * as Law from "../src/Law.ts"

const numbers = fc.nat(1000)

const small = Law.make("numbers are small", numbers, (value) => assert.isBelow(value, 42))
const sound = Law.make("numbers are whole", numbers, (value) => assert.isTrue(Number.isInteger(value)))

/** The report of a broken law. */
const failure = (law: Law.Law, options?: Law.CheckOptions): Promise<string> =>
  Law.check(law, options).then(() => "It holds", (error: Error) => error.message)

describe("a law", () => {
  it("that holds passes", () => Law.check(sound))

  it("that is broken tells its name, the smallest value and why", async () => {
    const message = await failure(small)
    assert.include(message, "Broken law: numbers are small")
    assert.include(message, "by: 42\n")
    assert.include(message, "because: expected 42 to be below 42")
  })

  it("keeps what broke it as the cause", async () => {
    const error: Error = await Law.check(small).then(() => new Error("It holds"), (error) => error)
    assert.strictEqual((error.cause as Error).name, "AssertionError")
  })

  it("shows the same case again, and at once, with the seed and path that it tells", async () => {
    const values: Array<number> = []
    const law = Law.make("numbers are small", numbers, (value) => {
      values.push(value)
      assert.isBelow(value, 42)
    })
    const message = await failure(law)
    const [, seed, path] = /seed: (-?\d+), path: "([\d:]+)"/.exec(message)!
    values.length = 0
    assert.strictEqual(await failure(law, { seed: Number(seed), path: path! }), message)
    assert.strictEqual(values[0], 42)
  })

  it("is tried as often as it asks for, times the factor", async () => {
    let count = 0
    const law = Law.make("counts", numbers, () => void count++, 20)
    await Law.check(law)
    assert.strictEqual(count, 20)
    await Law.check(law, { factor: 0.25 })
    assert.strictEqual(count, 25)
  })

  it("that no value is fit for is broken: it would hold of nothing", async () => {
    const law = Law.make("of nothing", numbers, () => fc.pre(false), 10)
    assert.match(await failure(law), /Broken law: of nothing\nonly 0 of \d+ values were fit for it/)
  })

  it("shows values as its author says, such as documents without what they leave out", async () => {
    const law = Law.make(
      "no dock is named",
      documents,
      ({ dockSlug }) => assert.strictEqual(dockSlug, ""),
      500,
      Law.brief
    )
    assert.include(await failure(law), "\"facility\":\"east\",\"direction\":\"OUTBOUND\"")
    assert.include(await failure(law), "\"dockSlug\":\"D1\"")
    assert.notInclude(await failure(law), "trailerNumber")
  })

  it.each([
    ["fails", (value: number) => value < 42 ? Effect.void : Effect.fail(new Error("too great"))],
    ["dies", (value: number) => value < 42 ? Effect.void : Effect.die(new Error("too great"))]
  ])("of a program is broken where it %s", async (_, holds) => {
    const message = await failure(Law.effect("numbers are small", numbers, holds, 200))
    assert.include(message, "by: 42\n")
    assert.include(message, "because: too great")
  })
})

describe("laws together", () => {
  it("tell which of them are broken, with how", async () => {
    const brokenLaws = await Law.brokenLaws([sound, small], { seed: 1 })
    assert.deepStrictEqual(brokenLaws.map(({ name }) => name), ["numbers are small"])
    assert.include(brokenLaws[0]!.reason, "by: 42\n")
  })

  it("tell it by the first value that breaks one, where that is enough", async () => {
    const [brokenLaw] = await Law.brokenLaws([small], { seed: 1, breaksBy: "first" })
    assert.match(brokenLaw!.reason, /by: \d+\n/)
    assert.notInclude(brokenLaw!.reason, "by: 42\n")
  })
})

describe("brief", () => {
  it("leaves out the members that say nothing, and no entry of a list", () => {
    const item = {
      lpn: "L1",
      sku: "",
      quantity: 0,
      isDangerousGood: false,
      serials: [],
      more: { none: null }
    }
    assert.strictEqual(
      Law.brief({ items: [item, {}], count: 2 }),
      "{\"items\":[{\"lpn\":\"L1\"},{}],\"count\":2}"
    )
  })

  it("leaves out named fields without a value, and keeps those with one", () => {
    const fields = [{ name: "driverName", value: "" }, { name: "seal", value: "7" }]
    assert.strictEqual(Law.brief({ fields }), "{\"fields\":[{\"name\":\"seal\",\"value\":\"7\"}]}")
    assert.strictEqual(Law.brief({ fields: fields.slice(0, 1) }), "{}")
  })
})
