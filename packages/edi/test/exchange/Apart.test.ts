/**
 * D23.2: entities that a partner's files create belong to the partner, order by order; no other partner changes them or is told of them.
 */
import * as Memory from "@dockline/core/memory/Memory"
import { edi } from "@dockline/edi/domain/EdiCapability"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import * as Sql from "@dockline/sql-storage/Sql"
import { Layer, ManagedRuntime } from "effect"
import * as fc from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { openApart } from "./ApartWorld.ts"
import type { Action, Came, SendAction } from "./ApartWorld.ts"

const database = ManagedRuntime.make(TestDatabase.layer)
afterAll(() => database.dispose())

const storages = {
  memory: { layer: Memory.layerWith([edi]), runs: 40 },
  PostgreSQL: {
    layer: Layer.provide(Sql.layerWith([ediSql]), Layer.orDie(Layer.effectContext(database.contextEffect))),
    runs: 4
  }
}

const alpha = (rest: Omit<SendAction, "_tag" | "by">): SendAction => ({ _tag: "Sent", by: "alpha", ...rest })
const beta = (rest: Omit<SendAction, "_tag" | "by">): SendAction => ({ _tag: "Sent", by: "beta", ...rest })
const leave = (...numbers: ReadonlyArray<string>): ReadonlyArray<Action> =>
  numbers.map((number) => ({ _tag: "Leave", number }))

/** The outcome and the faults of each set, without the places of the faults. */
const saidOf = ({ sets }: Came): ReadonlyArray<string> =>
  sets.flatMap(({ faults, outcome }) => [
    outcome,
    ...faults.map((fault) => fault.replace(/^[^:]*: /, "").replace(/\. .*/, ""))
  ])

describe.each(Object.entries(storages))("D23.2 partners on %s", (_, { layer, runs }) => {
  it("are told of their own orders of a load that they share", async () => {
    await using world = await openApart(layer)
    const { told } = await world.run([
      alpha({ kind: "940", purpose: "N", number: "L-1", order: "O-1" }),
      beta({ kind: "940", purpose: "N", number: "L-1", order: "O-2" }),
      alpha({ kind: "856", purpose: "00", number: "S-1", order: "O-3" }),
      beta({ kind: "856", purpose: "04", number: "S-1", order: "O-4" }),
      ...leave("L-1", "S-1")
    ])
    for (
      const [name, other, [order, expected]] of [
        ["alpha", "beta", ["O-1", "O-3"]],
        ["beta", "alpha", ["O-2", "O-4"]]
      ] as const
    ) {
      const own = told.filter(({ partner }) => partner === name)
      assert.deepStrictEqual(
        own.flatMap(({ sets }) => sets.map(({ kind, number }) => [kind, number])),
        [["856", "L-1"], ["945", order], ["944", expected]]
      )
      for (const { text } of own) {
        assert.notInclude(text.toLowerCase(), other)
        assert.include(text, `${name}-${text.includes("ST*944") ? expected : order}`)
      }
      assert.include(own[0]!.text, "TD1*PLT*1~")
    }
  })

  // @threat tenants.12
  it("cannot change, replace, move, empty or cancel what is another's, which is named", async () => {
    await using world = await openApart(layer)
    const actions = [
      alpha({ kind: "856", purpose: "00", number: "S-1", order: "O-1" }),
      alpha({ kind: "940", purpose: "N", number: "L-1", order: "O-2" })
    ]
    const attempts: ReadonlyArray<readonly [SendAction, expected: string]> = [
      ...["00", "04", "05"].map((purpose) =>
        [
          beta({ kind: "856", purpose, number: "S-1", order: "O-1" }),
          "orders[0].orderNumber names the order O-1, which belongs to another partner"
        ] as const
      ),
      [
        beta({ kind: "856", purpose: "05", number: "S-1", order: "O-1", lpns: 0 }),
        "orders[0].orderNumber names the order O-1, which belongs to another partner"
      ],
      [
        beta({ kind: "856", purpose: "00", number: "S-2", order: "O-1" }),
        "orders[0].orderNumber names the order O-1, which belongs to another partner"
      ],
      [
        beta({ kind: "940", purpose: "N", number: "L-2", order: "O-2" }),
        "orders[0].orderNumber names the order O-2, which belongs to another partner"
      ],
      [
        beta({ kind: "940", purpose: "F", number: "L-1", order: "O-2" }),
        "the order O-2 belongs to another partner"
      ],
      [
        beta({ kind: "856", purpose: "01", number: "S-1", order: "" }),
        "the shipment S-1 belongs to another partner"
      ]
    ]
    const alone = await world.run([...actions, ...leave("S-1", "L-1")])
    const { came, shipments, told } = await world.run([
      ...actions,
      ...attempts.map(([action]) => action),
      ...leave("S-1", "L-1")
    ])
    assert.deepStrictEqual(
      came.slice(actions.length).map(saidOf),
      attempts.map(([, fault]) => ["REJECTED", fault])
    )
    assert.deepStrictEqual([told, shipments], [alone.told, alone.shipments])
  })

  it("cannot cancel a load that they share, nor say what it is", async () => {
    await using world = await openApart(layer)
    const { came, shipments } = await world.run([
      alpha({ kind: "940", purpose: "N", number: "L-1", order: "O-1", carrier: "SWFT" }),
      beta({ kind: "940", purpose: "N", number: "L-1", order: "O-2", carrier: "OTHR", shipBy: "20261125" }),
      beta({ kind: "940", purpose: "F", number: "L-1", order: "O-2" }),
      beta({ kind: "856", purpose: "01", number: "L-1", order: "" })
    ])
    assert.deepStrictEqual(came.slice(1).map(saidOf), [
      [
        "NOTED",
        "the load was made by another partner, whose carrier stays",
        "the load was made by another partner, whose G62*38 stays"
      ],
      ["REJECTED", "the load has other orders; a document cannot cancel one of them"],
      ["REJECTED", "the shipment L-1 also has orders of another partner"]
    ])
    assert.deepStrictEqual(shipments.map(({ carrier, status }) => [carrier, status]), [["SWFT", "SCHEDULED"]])
  })

  it("share what a customer's own system made with the customer, and not with each other", async () => {
    await using world = await openApart(layer)
    const { came, told } = await world.run([
      { _tag: "Submitted", direction: "OUTBOUND", number: "L-1", order: "O-1" },
      { _tag: "Submitted", direction: "OUTBOUND", number: "L-1", order: "O-2" },
      alpha({ kind: "940", purpose: "N", number: "L-1", order: "O-1" }),
      beta({ kind: "940", purpose: "N", number: "L-1", order: "O-1" }),
      { _tag: "Submitted", direction: "OUTBOUND", number: "L-2", order: "O-1" },
      ...leave("L-1", "L-2")
    ])
    assert.deepStrictEqual(came.map(({ sets }) => sets[0]!.outcome), ["ACCEPTED", "REJECTED"])
    assert.deepStrictEqual(
      told.map(({ partner, sets }) => [partner, sets.map(({ number }) => number)]),
      [["alpha", ["L-2", "O-1"]]]
    )
  })

  // @threat tenants.12
  it("are told of a pallet that no order expects on a load of their own alone", async () => {
    await using world = await openApart(layer)
    const { shared, told } = await world.run([
      alpha({ kind: "940", purpose: "N", number: "L-1", order: "O-1", plates: "none" }),
      beta({ kind: "940", purpose: "N", number: "L-1", order: "O-2", plates: "shared" }),
      beta({ kind: "940", purpose: "N", number: "L-2", order: "O-3", plates: "none" }),
      { _tag: "Leave", number: "L-1", hasStray: true },
      { _tag: "Leave", number: "L-2", hasStray: true }
    ])
    assert.strictEqual(shared.size, 1)
    const saidBy = (text: string) => text.match(/(W12|MAN)\*.*?(?=~)/g)
    // Partners are told at once, and each in the order of departures.
    const byPartner = told.toSorted((one, other) => one.partner.localeCompare(other.partner))
    assert.deepStrictEqual(byPartner.map(({ faults, partner, text }) => [partner, saidBy(text), faults]), [
      ["alpha", ["W12*CP*5*0*5*CA**SK*alpha-SKU-0"], [
        "Lines without plates are told as not moved, as no pallet passed that is known to hold them: orders O-1."
      ]],
      ["beta", ["MAN*W*plate-0", "MAN*W*plate-0", "W12*CC*5*5*0*CA**SK*beta-SKU-0"], []],
      ["beta", ["W12*CC*5*5*0*CA**SK*beta-SKU-0"], [
        "Pallets passed that no order expects, so that no set names their goods: stray-1.",
        "Lines without plates are told as moved in full, as nothing says better what was on the pallets: orders O-3."
      ]]
    ])
  })

  it("count acknowledgments of what was sent to them alone", async () => {
    await using world = await openApart(layer)
    const { told } = await world.run([
      alpha({ kind: "856", purpose: "00", number: "S-1", order: "O-1" }),
      ...leave("S-1"),
      { _tag: "Acknowledged", by: "beta", id: "RE", group: 52, code: "R" }
    ])
    assert.deepStrictEqual(told.map(({ groups, outcome, partner }) => [partner, groups, outcome]), [
      ["alpha", [52], "WAITING"]
    ])
  })

  it("that come at the same moment get one order each", async () => {
    await using world = await openApart(layer)
    const { came } = await world.run(
      Array.from({ length: 10 }, (_, index) => `O-${index}`).flatMap((order) => [
        alpha({ kind: "940", purpose: "N", number: `L-${order}`, order }),
        beta({ kind: "940", purpose: "N", number: `L-${order}`, order })
      ]),
      { isAtOnce: true }
    )
    for (let index = 0; index < came.length; index += 2) {
      assert.sameMembers(came.slice(index, index + 2).map(({ sets }) => sets[0]!.outcome), [
        "ACCEPTED",
        "REJECTED"
      ])
    }
  })

  const by = fc.constantFrom("alpha" as const, "beta" as const)
  const order = fc.constantFrom("O-1", "O-2", "O-3", "O-4")
  const load = fc.constantFrom("L-1", "L-2")
  const shipment = fc.constantFrom("S-1", "S-2")
  const plates = fc.constantFrom("own" as const, "own" as const, "shared" as const, "none" as const)
  const leaving = fc.record({
    _tag: fc.constant("Leave" as const),
    number: fc.oneof(load, shipment),
    hasStray: fc.boolean(),
    isLate: fc.boolean()
  })
  /** At the end, all shipments leave. */
  const lasts = fc.tuple(
    ...["L-1", "L-2", "S-1", "S-2"].map((number) => leaving.map((each): Action => ({ ...each, number })))
  )
  const action: fc.Arbitrary<Action> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        _tag: fc.constant("Sent" as const),
        by,
        kind: fc.constant("856" as const),
        purpose: fc.constantFrom("00", "00", "04", "05", "01"),
        number: shipment,
        order,
        lpns: fc.constantFrom(0, 1, 2),
        plates
      })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        _tag: fc.constant("Sent" as const),
        by,
        kind: fc.constant("940" as const),
        purpose: fc.constantFrom("N", "N", "N", "F"),
        number: load,
        order,
        lpns: fc.constantFrom(1, 2),
        plates
      })
    },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.record({ direction: fc.constant("INBOUND" as const), number: shipment, order }),
        fc.record({ direction: fc.constant("OUTBOUND" as const), number: load, order })
      ).map((action) => ({ _tag: "Submitted" as const, ...action }))
    },
    { weight: 2, arbitrary: leaving },
    {
      weight: 1,
      arbitrary: fc.record({
        _tag: fc.constant("Acknowledged" as const),
        by,
        id: fc.constantFrom("SH", "SW", "RE"),
        group: fc.integer({ min: 51, max: 58 }),
        code: fc.constantFrom("A", "R")
      })
    }
  )

  it(
    "get, and are told, what they would be if the other's files had never been sent",
    async () => {
      await using world = await openApart(layer)
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 2, maxLength: 14 }), lasts, async (actions, last) => {
          const all = [...actions, ...last]
          const both = await world.run(all)
          const ofCustomer = all.filter((each) => each._tag === "Submitted")
          for (const [name, other] of [["alpha", "beta"], ["beta", "alpha"]] as const) {
            // A rejected set has had no effect, but is answered all the same.
            const isRejected = (each: Action) =>
              each._tag === "Sent" && both.answers.get(each)?.sets[0]?.outcome === "REJECTED"
            // Each partner may change an order of the customer's own system, or cancel its shipment: then both see it.
            const isOfCustomer = (each: Action) =>
              each._tag === "Sent" && each.by === other && !isRejected(each) &&
              ofCustomer.some(({ number, order }) =>
                each.purpose === "01" ? each.number === number : each.order === order
              )
            const toldTo = (run: typeof both) => run.told.filter(({ partner }) => partner === name)
            for (
              const text of [...both.came.filter(({ by }) => by === name), ...toldTo(both)].map((each) =>
                JSON.stringify(each)
              )
            ) assert.notInclude(text.toLowerCase(), other)
            if (all.some(isOfCustomer)) continue
            const alone = await world.run(
              all.flatMap((each) =>
                both.refused.has(each) || ("by" in each && each.by === other)
                  ? []
                  : isRejected(each)
                  ? [{ ...each, isDamaged: true }]
                  // On a shared load, no partner is told about an unexpected pallet.
                  : each._tag === "Leave" && both.shared.has(each)
                  ? [{ ...each, hasStray: false }]
                  : [each]
              )
            )
            const recordOf = (run: typeof both, isDamaged: boolean) =>
              run.came.filter(({ by, action }) => by === name && (isDamaged || !isRejected(action)))
                .filter(({ action }) => !("isDamaged" in action))
            assert.deepStrictEqual(recordOf(both, false).map(saidOf), recordOf(alone, true).map(saidOf))
            assert.deepStrictEqual(toldTo(both), toldTo(alone))
          }
        }),
        { numRuns: runs }
      )
    },
    120_000
  )
})
