/** The record of documents that could not be read (D13.6). */
import type { Principal } from "@dockline/core/access/Access"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import type { Intake, SubmitOptions } from "@dockline/core/document/Intake"
import { errorOf } from "@dockline/core/document/UnreadableDocument"
import type { ReadingFailure } from "@dockline/core/document/UnreadableDocument"
import * as Slices from "@dockline/core/input/Slices"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, orderOf } from "../../generators/Given.ts"
import { aRecord } from "../../worlds/RecordWorld.ts"
import type { AddTest } from "../../worlds/RecordWorld.ts"

const read = DocumentInput.stepReader()

/** The failure to read a value that is no document. */
const failureOf = (raw: unknown) => Result.getOrThrow(Result.flip(Slices.atOnce(read(raw, true))))

/** Refuses a document with its error, recorded or not. */
const refuse = Effect.fnUntraced(function*(
  intake: Intake["Service"],
  failure: ReadingFailure<object>,
  client: Principal,
  options?: SubmitOptions
) {
  assert.strictEqual(
    yield* Effect.flip(intake.receive(Effect.fail(failure), client, options)),
    errorOf(failure)
  )
})

/** Tests of documents that could not be read. */
export const faulty = (test: AddTest): void => {
  test("D13.6 a document with faults is recorded with its code where it names a place", function*() {
    const { business, client, intake, list, send } = yield* aRecord
    const answer = yield* send({}, [orderOf("O1")])
    const whole = {
      business,
      facility: "east",
      direction: "OUTBOUND",
      orderNumber: "O1",
      shipmentNumber: "S1"
    }
    const faults: ReadonlyArray<readonly [unknown, code: string, orders: ReadonlyArray<string>]> = [
      [{ ...whole, orderNumbr: "O1" }, "MALFORMED_DOCUMENT", ["O1"]],
      [{ ...whole, orderItemUpdateStrategy: "REPLACE" }, "INVALID_DOCUMENT", ["O1"]],
      [{ ...whole, direction: "" }, "INVALID_DOCUMENT", ["O1"]],
      [
        { ...whole, orderNumber: undefined, orders: [{ orderNumber: "O1" }, { orderNumber: 2 }, "O3"] },
        "MALFORMED_DOCUMENT",
        ["O1", "", ""]
      ]
    ]
    for (const [raw] of faults) yield* refuse(intake, failureOf(raw), client)
    const [unseen, ...records] = (yield* list({ business })).toReversed()
    assert.strictEqual(assert.present(unseen).outcome, "CREATED")
    assert.deepStrictEqual(
      records.map(({ changes, clientId, code, orderNumbers, outcome, shipmentId, shipmentNumber }) => [
        [clientId, outcome, code, changes, shipmentId, shipmentNumber],
        orderNumbers
      ]),
      faults.map(([, code, orders]) => [
        [client.clientId, "REFUSED", code, [], answer.shipment.id, "S1"],
        orders
      ])
    )
    assert.deepStrictEqual(assert.at(records, 1).strategies, ["REPLACE"])
  })

  test("D13.6 a document with faults that names no place of its client is not recorded", function*() {
    const { business, client, intake, list } = yield* aRecord
    const other = yield* aRecord
    const whole = { business, facility: "east", direction: "NONE", orderNumber: "O1" }
    const nowhere: ReadonlyArray<unknown> = [
      null,
      "document",
      {},
      { ...whole, business: undefined },
      { ...whole, facility: "" },
      { ...whole, facility: 7 },
      { ...whole, facility: "north" },
      { ...whole, business: "nobody" },
      { ...whole, business: "a\0b" },
      { ...whole, facility: "\ud800" },
      { ...whole, facility: "e".repeat(5000) },
      { ...whole, business: other.business }
    ]
    for (const raw of nowhere) yield* refuse(intake, failureOf(raw), client)
    const reader = aClient("reader", business, ["east"], "messages:read")
    yield* refuse(intake, failureOf(whole), reader)
    yield* refuse(intake, failureOf(whole), client, { dryRun: true })
    yield* refuse(intake, new Error("Whatever else it is refused for"), client)
    assert.deepStrictEqual(yield* list({ business }), [])
    assert.deepStrictEqual(yield* other.list({ business: other.business }, other.client), [])
  })

  test("D13.6 what a document with faults names is recorded only as far as it can be stored", function*() {
    const { business, client, intake, list } = yield* aRecord
    const orders = ["\0", "\ud800", "O".repeat(5000), "O1"].map((orderNumber) => ({ orderNumber }))
    yield* refuse(
      intake,
      failureOf({ business, facility: "east", direction: "INBOUND", shipmentNumber: 1, orders, none: 0 }),
      client
    )
    const [record] = yield* list({ business })
    assert.deepStrictEqual([assert.present(record).shipmentNumber, assert.present(record).orderNumbers], [
      "",
      ["", "", "", "O1"]
    ])
    assert.deepStrictEqual(yield* list({ business, orderNumber: "O1" }), [assert.present(record)])
  })
}
