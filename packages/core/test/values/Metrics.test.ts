/** How metrics are declared: bounded whatever is counted, there from the start, in a registry of one's own. */
import { InvalidParameter, StorageUnavailable, UnknownDock } from "@dockline/core/values/Errors"
import * as Metrics from "@dockline/core/values/Metrics"
import "@dockline/core/values/Metrics"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Metric } from "effect"

const registry = () => Context.make(Metric.MetricRegistry, new Map())

const seriesOf = (context: Context.Context<never>, name: string) =>
  Metric.snapshotUnsafe(context).filter(({ id }) => id === name).map((
    { attributes, state }
  ) => [attributes, state])

const countsOf = (context: Context.Context<never>, name: string) =>
  Object.fromEntries(
    Metric.snapshotUnsafe(context).filter(({ id }) => id === name).map(({ attributes, state }) => [
      Object.values(attributes ?? {}).join(" "),
      (state as { readonly count: number }).count
    ])
  )

describe("the series of a metric", () => {
  it("are those of the declared values, and one for all others", () => {
    const context = registry()
    const family = Metrics.counter("test_declared_total", "Counts", [["a", ["x", "y"]], ["b", ["z"]]])
    family.of("x", "z").updateUnsafe(2, context)
    for (let n = 0; n < 1000; n++) family.of("hostile" as "x", `${n}` as "z").updateUnsafe(1, context)
    assert.deepStrictEqual(countsOf(context, "test_declared_total"), { "x z": 2, "other other": 1000 })
  })

  it("of values that the program chooses are bounded: who comes late is counted as other", () => {
    const context = registry()
    const family = Metrics.counter("test_chosen_total", "Counts", [["route", "chosen"]])
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 1000; n++) family.of(`/${n}`).updateUnsafe(1, context)
    }
    const counts = countsOf(context, "test_chosen_total")
    assert.strictEqual(Object.keys(counts).length, Metrics.chosenLimit + 1)
    assert.strictEqual(counts["/0"], 2)
    assert.strictEqual(counts[Metrics.other], 2 * (1000 - Metrics.chosenLimit))
  })
})

describe("what is counted", () => {
  it("is there at 0 before it happens, where the values are declared", () => {
    const context = registry()
    Metrics.counter("test_begin_total", "Counts", [["a", ["x", "y"]]])
    Metrics.counter("test_late_total", "Counts", [["a", "chosen"]])
    Metrics.sampledGauge("test_sampled", "Is found out", [])
    Metrics.begin(context)
    assert.deepStrictEqual(countsOf(context, "test_begin_total"), { x: 0, y: 0 })
    assert.deepStrictEqual(seriesOf(context, "test_late_total"), [])
    assert.deepStrictEqual(seriesOf(context, "test_sampled"), [])
  })

  it("is there at 0 before it happens, where its series is known though its values are chosen", () => {
    const context = registry()
    const family = Metrics.counter("test_known_total", "Counts", [["a", ["x", "y"]], ["b", "chosen"]], {
      series: [["x", "z"]]
    })
    Metrics.begin(context)
    assert.deepStrictEqual(countsOf(context, "test_known_total"), { "x z": 0 })
    family.of("x", "z").updateUnsafe(1, context)
    assert.deepStrictEqual(countsOf(context, "test_known_total"), { "x z": 1 })
  })

  it("is there at 0 before it happens, where the service has the capability that counts it", () => {
    const family = Metrics.counter("test_of_capability_total", "Counts", [["a", ["x"]]], {
      capability: "photos"
    })
    const [without, having] = [registry(), registry()]
    Metrics.begin(without, ["labels"])
    Metrics.begin(having, ["labels", "photos"])
    assert.deepStrictEqual(countsOf(without, family.name), {})
    assert.deepStrictEqual(countsOf(having, family.name), { x: 0 })
  })

  it("is there at 0 for the refusals that are our fault, as an alert is for the first one", () => {
    const context = registry()
    Metrics.begin(context)
    assert.deepStrictEqual(countsOf(context, "dockline_refusals_total"), {
      "rest INTERNAL_ERROR": 0,
      "graphql INTERNAL_ERROR": 0,
      "mcp INTERNAL_ERROR": 0
    })
  })

  it("stays what it is when it begins again", () => {
    const context = registry()
    const family = Metrics.counter("test_again_total", "Counts", [["a", ["x"]]])
    family.of("x").updateUnsafe(3, context)
    Metrics.begin(context)
    assert.deepStrictEqual(countsOf(context, "test_again_total"), { x: 3 })
  })

  it("is declared with its name, type, labels and a description", () => {
    Metrics.histogram("test_listed_seconds", "Takes time", [["a", ["x"]]])
    const declaration = Metrics.declarations().find(({ name }) => name === "test_listed_seconds")!
    assert.deepStrictEqual(
      {
        name: declaration.name,
        type: declaration.type,
        description: declaration.description,
        labels: declaration.labels
      },
      { name: "test_listed_seconds", type: "histogram", description: "Takes time", labels: ["a"] }
    )
  })

  it.effect("is apart for services that have a registry each", () =>
    Effect.gen(function*() {
      const family = Metrics.counter("test_apart_total", "Counts", [])
      const [one, two] = [registry(), registry()]
      yield* Effect.provideContext(Metric.update(family.of(), 1), one)
      yield* Effect.provideContext(Metric.update(family.of(), 2), two)
      assert.deepStrictEqual([countsOf(one, "test_apart_total"), countsOf(two, "test_apart_total")], [{
        "": 1
      }, {
        "": 2
      }])
    }))
})

describe("a value that is read where it is", () => {
  it.effect("is read anew each time, and gone with its scope", () =>
    Effect.gen(function*() {
      const context = registry()
      const gauge = Metrics.sampledGauge("test_observed", "Is read", []).of()
      let value = 1
      yield* Effect.scoped(Effect.gen(function*() {
        yield* Metrics.observe(gauge, () => value)
        value = 7
        assert.deepStrictEqual(seriesOf(context, "test_observed"), [[{}, { value: 7 }]])
      })).pipe(Effect.provideContext(context))
      assert.deepStrictEqual(seriesOf(context, "test_observed"), [])
    }))
})

describe("what becomes of a write", () => {
  const run = <A, E>(effect: Effect.Effect<A, E>) => {
    const context = registry()
    const family = Metrics.counter("test_outcomes_total", "Counts", [["outcome", [
      "ok",
      ...Metrics.refusals
    ]]])
    const counting = Metrics.outcomes(effect, family.of, () => Metric.update(family.of("ok"), 1))
    return Effect.as(
      Effect.exit(Effect.provideContext(counting, context)),
      context
    )
  }

  const cases: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
    ["ok", Effect.void],
    ["refused", Effect.fail(new InvalidParameter({ errors: [] }))],
    ["refused", Effect.fail(new UnknownDock({ dockSlug: "D9", facility: "east" }))],
    ["unavailable", Effect.fail(new StorageUnavailable({ cause: "away" }))],
    ["failed", Effect.die("broken")]
  ]
  for (const [outcome, effect] of cases) {
    it.effect(`is counted once: ${outcome}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(countsOf(yield* run(effect), "test_outcomes_total"), { [outcome]: 1 })
      }))
  }

  it.effect("is not counted when it is interrupted", () =>
    Effect.gen(function*() {
      const context = registry()
      const family = Metrics.counter("test_interrupted_total", "Counts", [["outcome", Metrics.refusals]])
      const counting = Metrics.outcomes(Effect.never, family.of, () => Effect.void)
      const fiber = yield* Effect.forkChild(Effect.provideContext(counting, context), {
        startImmediately: true
      })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(countsOf(context, "test_interrupted_total"), {})
    }))
})
