/** Tests of the record: documents that removed entities, and documents that could not be read (D13.6). */
import type { Principal } from "@dockline/core/access/Access"
import type { Document, DocumentOrder } from "@dockline/core/document/Document"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { errorOf } from "@dockline/core/document/DocumentInput"
import type { DocumentReadFailure } from "@dockline/core/document/DocumentInput"
import { recordedLimit } from "@dockline/core/document/DocumentRecord"
import type { DocumentRecordView } from "@dockline/core/document/DocumentRecord"
import { Intake } from "@dockline/core/document/Intake"
import type { RecordQuery, SubmitOptions } from "@dockline/core/document/Intake"
import * as Slices from "@dockline/core/input/Slices"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { Effect, Layer, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, orderOf } from "../../generators/Given.ts"
import type * as Suite from "../../Suite.ts"
import { aWorld, codeOf } from "../../worlds/MovementWorld.ts"
import type { MovementServices } from "../../worlds/MovementWorld.ts"

/** Adds a test of the record. */
export type AddTest = Suite.AddTest<MovementServices>

/** The services that the suite tests. */
export const services = Layer.mergeAll(Intake.layer(), Pallets.layer(), Shipments.layer())

/** A new business, and functions to send documents with a correlation id and to list its record. */
export const aRecord = Effect.gen(function*() {
  const { business, client } = yield* aWorld()
  const intake = yield* Intake
  const send = (
    fields: Partial<Document>,
    orders: ReadonlyArray<DocumentOrder>,
    correlationId = "",
    principal: Principal = client
  ) =>
    intake.submit(aDocument({ business, ...fields }, ...orders), principal).pipe(
      RequestLog.within({ correlationId })
    )
  const list = (query: RecordQuery = {}, principal: Principal = client) =>
    Effect.map(intake.records(query, principal), ({ items }) => items)
  return {
    business,
    client,
    intake,
    /** Submits a document. */
    send,
    /** Lists the recorded documents. */
    list
  }
})

const items = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => anItem(`L${from + n}`, "S1"))

const idsOf = (records: ReadonlyArray<DocumentRecordView>) => records.map(({ id }) => id)

/** Tests of documents that removed entities. */
export const removing = (test: AddTest): void => {
  test("D13.6 what a document creates again is replaced; what it removes is found", function*() {
    const { business, list, send } = yield* aRecord
    yield* send({}, [orderOf("O1", "APPEND", items(11))])
    yield* send({}, [orderOf("O1", "OVERWRITE", items(11))], "same")
    yield* send({}, [orderOf("O1", "OVERWRITE", items(1, 10))], "removes")
    yield* send({}, [orderOf("O1", "MERGE", [anItem("L10", "S2")])])
    yield* send({}, [orderOf("O1", "DELETE", [anItem("L10", "S2")])], "deletes")
    const [deletes, , removes, same] = yield* list({ business })
    assert.deepStrictEqual(
      [same, removes, deletes].map((
        record
      ) => [assert.present(record).outcome, assert.present(record).counts]),
      [
        ["CREATED", { created: 11, updated: 2, removed: 11, replaced: 11 }],
        ["CREATED", { created: 1, updated: 2, removed: 11, replaced: 1 }],
        ["UPDATED", { created: 0, updated: 2, removed: 1, replaced: 0 }]
      ]
    )
    assert.deepStrictEqual(
      assert.present(removes).changes.slice(0, 12).map(({ change, reference }) => `${change} ${reference}`),
      [...items(11).map(({ lpn }) => `REMOVED ${lpn}`), "UPDATED S1"]
    )
    const cases: ReadonlyArray<readonly [RecordQuery, ReadonlyArray<DocumentRecordView | undefined>]> = [
      [{ removed: true }, [deletes, removes]],
      [{ removed: true, outcome: "CREATED" }, [removes]],
      [{ removed: true, outcome: "UNCHANGED" }, []],
      [{ removed: true, orderNumber: "O1" }, [deletes, removes]],
      [{ removed: true, shipmentNumber: "S1", correlationId: "removes" }, [removes]],
      [{ removed: true, shipmentNumber: "S2" }, []],
      [{ removed: true, correlationId: "same" }, []],
      [{ lpn: "L3" }, [removes]],
      [{ lpn: "L10" }, [deletes]],
      [{ lpn: "L11" }, []],
      [{ lpn: "l3" }, []],
      [{ lpn: "L3", removed: true, facility: "east" }, [removes]],
      [{ lpn: "L3", shipmentNumber: "S1" }, [removes]],
      [{ lpn: "L3", correlationId: "deletes" }, []],
      [{ lpn: "L3", outcome: "UPDATED" }, []],
      [{ lpn: "L3", facility: "west" }, []],
      [{ lpn: "L3", to: assert.present(removes).receivedAt }, []]
    ]
    for (const [query, expected] of cases) {
      const records = yield* list({ business, ...query })
      assert.deepStrictEqual(
        idsOf(records),
        expected.map((record) => assert.present(record).id),
        JSON.stringify(query)
      )
    }
    assert.strictEqual((yield* list({ business, removed: false })).length, 5)
    assert.strictEqual(yield* codeOf(list({ business, lpn: "L3", orderNumber: "O1" })), "INVALID_PARAMETER")
  })

  test(`D13.6 a document is found by each LPN that it removed, recorded as a change or not`, function*() {
    const { business, list, send } = yield* aRecord
    yield* send({}, [orderOf("O1", "APPEND", items(recordedLimit + 100))])
    yield* send({}, [orderOf("O1", "OVERWRITE", items(50)), orderOf("O2", "APPEND", items(1, 50))])
    const [removes] = yield* list({ business, removed: true })
    assert.strictEqual(assert.present(removes).counts.replaced, 51)
    for (const lpn of ["L51", `L${recordedLimit + 99}`]) {
      assert.deepStrictEqual(idsOf(yield* list({ business, lpn })), [assert.present(removes).id], lpn)
    }
    for (const lpn of ["L0", "L50"]) assert.deepStrictEqual(yield* list({ business, lpn }), [], lpn)
  })

  test("D13.6 an LPN of any length is found, and none is found by the empty one", function*() {
    const { business, list, send } = yield* aRecord
    const long = "L".repeat(1024)
    yield* send({}, [orderOf("O1", "APPEND", [anItem(long, "S1"), anItem("", "S1")])])
    yield* send({}, [orderOf("O1", "OVERWRITE", [anItem("X", "S1")])])
    const all = yield* list({ business })
    assert.deepStrictEqual(idsOf(yield* list({ business, lpn: long })), [assert.at(all, 0).id])
    assert.deepStrictEqual(yield* list({ business, lpn: "" }), all)
  })
}

const read = DocumentInput.stepReader()

/** The failure to read a value that is no document. */
const failureOf = (raw: unknown) => Result.getOrThrow(Result.flip(Slices.atOnce(read(raw, true))))

/** Sends a document that could not be read, and checks that it is refused with its error. */
const refuse = Effect.fnUntraced(function*(
  intake: Intake["Service"],
  failure: DocumentReadFailure<object>,
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
