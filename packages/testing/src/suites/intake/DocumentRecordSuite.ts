/** The rules for the record of documents, for every storage (D13.6). */
import type { DocumentRecordView } from "@dockline/core/document/DocumentRecord"
import { DocumentRecordConfig, recordedLimit } from "@dockline/core/document/DocumentRecord"
import { Intake } from "@dockline/core/document/Intake"
import type { RecordQuery } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { Effect, Fiber, Layer, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, orderOf, without } from "../../generators/Given.ts"
import * as Suite from "../../Suite.ts"
import { at } from "../../worlds/MessageLogWorld.ts"
import { aWorld, codeOf, withItem } from "../../worlds/MovementWorld.ts"
import type { MovementStores } from "../../worlds/MovementWorld.ts"
import { pagesOf } from "../../worlds/ReadWorld.ts"
import { aRecord, faulty, removing, services } from "./RecordedDocuments.ts"
import type { AddTest } from "./RecordedDocuments.ts"

/** The changes in a record, in the form of answers to documents. */
const changesOf = ({ changes }: DocumentRecordView) => {
  const of = (kind: string) =>
    changes.filter(({ change }) => change === kind).map((each) => without(each, "change"))
  return { created: of("CREATED"), updated: of("UPDATED"), removed: of("REMOVED") }
}

const byId = (references: IntakeResult["created"]) =>
  references.toSorted((one, other) => Number(one.id) - Number(other.id) || one.type.localeCompare(other.type))

/** Checks that a record agrees with the answer to its document. */
const agrees = (record: DocumentRecordView, answer: IntakeResult): void => {
  const changes = changesOf(record)
  for (const list of ["created", "updated", "removed"] as const) {
    assert.deepStrictEqual(byId(changes[list]), byId(answer[list]))
    assert.strictEqual(record.counts[list], answer[list].length)
  }
  assert.strictEqual(record.shipmentId, answer.shipment.id)
}

const items = (count: number) => Array.from({ length: count }, (_, n) => anItem(`L${n}`, "S1"))

const writing = (test: AddTest): void => {
  test("D13.6 what a document created, updated and removed is told as its answer told it", function*() {
    const { business, client, intake, list, send } = yield* aRecord
    const order = (strategy: string, count: number) => orderOf("O1", strategy, items(count))
    const answers = [
      yield* send({}, [order("APPEND", 3), withItem("O2", "L9")], "first"),
      yield* send({}, [order("OVERWRITE", 2)]),
      yield* send({}, [order("MERGE", 4)]),
      yield* send({}, [order("DELETE", 1)]),
      yield* send({}, [orderOf("O2")]),
      yield* send({ shipmentNumber: "S2" }, [orderOf("O1")])
    ]
    const records = yield* list({ business })
    assert.deepStrictEqual(records.map(({ outcome }) => outcome), [
      "CREATED",
      "UNCHANGED",
      "UPDATED",
      "CREATED",
      "CREATED",
      "CREATED"
    ])
    for (const [index, answer] of answers.toReversed().entries()) {
      agrees(assert.present(records[index]), answer)
    }
    const { changes: _, id, receivedAt, ...first } = assert.at(records, -1)
    assert.deepStrictEqual(first, {
      clientId: client.clientId,
      correlationId: "first",
      business: { slug: business, name: business },
      facility: { slug: "east", name: "East" },
      shipmentNumber: "S1",
      shipmentId: assert.at(answers, 0).shipment.id,
      orderNumbers: ["O1", "O2"],
      strategies: ["APPEND"],
      outcome: "CREATED",
      code: "",
      remedy: "",
      counts: { created: 7, updated: 0, removed: 0, replaced: 0 }
    })
    assert.match(receivedAt, /^\d{4}-.*Z$/)
    assert.deepStrictEqual(yield* intake.record(String(id), client), records.at(-1))
  })

  test("D13.6 a refusal is told with its code, and a dry run not at all", function*() {
    const { business, client, intake, list, send } = yield* aRecord
    const answer = yield* send({}, [withItem("O1", "L1")])
    assert.strictEqual(yield* codeOf(send({}, [withItem("O1", "L1")], "again")), "DUPLICATE_ORDER_ITEM_KEY")
    assert.strictEqual(yield* codeOf(send({ dockSlug: "D9" }, [orderOf("O1")])), "UNKNOWN_DOCK")
    yield* intake.submit(aDocument({ business }, withItem("O1", "L2")), client, { dryRun: true })
    const [dock, again, first, ...rest] = yield* list({ business })
    assert.deepStrictEqual(rest, [])
    agrees(assert.present(first), answer)
    assert.deepStrictEqual([
      assert.present(dock).outcome,
      assert.present(dock).code,
      assert.present(dock).changes
    ], ["REFUSED", "UNKNOWN_DOCK", []])
    assert.deepStrictEqual([
      assert.present(again).code,
      assert.present(again).shipmentId,
      assert.present(again).correlationId
    ], [
      "DUPLICATE_ORDER_ITEM_KEY",
      answer.shipment.id,
      "again"
    ])
  })

  test("D13.6 documents that come at once are each told as their answers", function*() {
    const { business, list, send } = yield* aRecord
    const answers = yield* Effect.all(
      Array.from({ length: 24 }, (_, n) =>
        Effect.result(
          send({ shipmentNumber: `S${n}` }, [orderOf(`O${n % 20}`, "APPEND", items(1 + n % 3))], `C${n}`)
        )),
      { concurrency: "unbounded" }
    )
    const records = yield* list({ business })
    assert.strictEqual(records.length, answers.length)
    for (const [n, answer] of answers.entries()) {
      const record = assert.present(records.find(({ correlationId }) => correlationId === `C${n}`))
      if (Result.isSuccess(answer)) agrees(record, answer.success)
      else assert.deepStrictEqual([record.outcome, record.code], ["REFUSED", answer.failure.code])
    }
  })

  test(`D13.6 of a large document ${recordedLimit} changes are told, what it removed first`, function*() {
    const { business, list, send } = yield* aRecord
    yield* send({}, [orderOf("O1", "APPEND", items(recordedLimit + 5))])
    const answer = yield* send({}, [orderOf("O1", "OVERWRITE", items(600))])
    const [last, first] = yield* list({ business })
    assert.strictEqual(assert.present(first).changes.length, recordedLimit)
    assert.isTrue(assert.present(first).changes.every(({ id }) => id !== ""))
    assert.strictEqual(assert.present(first).counts.created, recordedLimit + 7)
    assert.strictEqual(assert.present(last).changes.length, recordedLimit)
    assert.isTrue(assert.present(last).changes.every(({ change }) => change === "REMOVED"))
    assert.deepStrictEqual(assert.present(last).counts, {
      created: answer.created.length,
      updated: answer.updated.length,
      removed: answer.removed.length,
      replaced: 600
    })
  })

  test("D13.6 without a retention nothing is recorded", function*() {
    const { business, client } = yield* aWorld()
    const intake = yield* Effect.provide(
      Intake,
      Layer.provide(
        Layer.fresh(Intake.layer()),
        Layer.succeed(DocumentRecordConfig, { retentionMillis: 0 })
      ),
      { local: true }
    )
    yield* intake.submit(aDocument({ business }, orderOf("O1")), client)
    assert.deepStrictEqual(yield* intake.records({ business }, client), { items: [], next: null })
  })
}

const reading = (test: AddTest): void => {
  test("D13.6 the record is found by place, numbers, correlation id, outcome and time", function*() {
    const { business, client, intake, list, send } = yield* aRecord
    const start = Date.now() + 3_600_000
    const sends = [
      send({}, [orderOf("O1")], "a"),
      send({ facility: "west" }, [orderOf("O1")], "b"),
      send({ shipmentNumber: "S2" }, [orderOf("O2"), orderOf("O3"), orderOf("O4")], "a"),
      Effect.ignore(send({ dockSlug: "D9" }, [orderOf("O3")], "c")),
      send({ shipmentNumber: "S2" }, [orderOf("O3")], "d")
    ]
    for (const [minute, each] of sends.entries()) yield* at(start + minute * 600_000)(each)
    const all = yield* list({ business })
    const match = (query: RecordQuery) =>
      Effect.map(
        list(query),
        (records) =>
          records.map(({ id }) => all.length - all.findIndex((record) => record.id === id)).join(" ")
      )
    const time = (minute: number) => new Date(start + minute * 600_000).toISOString()
    assert.strictEqual(all.length, 5)
    const queries: ReadonlyArray<readonly [RecordQuery, string]> = [
      [{}, "5 4 3 2 1"],
      [{ facility: "west" }, "2"],
      [{ facility: "east" }, "5 4 3 1"],
      [{ shipmentNumber: "S1" }, "4 2 1"],
      [{ shipmentNumber: "S2" }, "5 3"],
      [{ orderNumber: "O3" }, "5 4 3"],
      [{ orderNumber: "O4" }, "3"],
      [{ orderNumber: "O1" }, "2 1"],
      [{ orderNumber: "O3", shipmentNumber: "S1" }, "4"],
      [{ orderNumber: "O3", outcome: "REFUSED" }, "4"],
      [{ orderNumber: "O4", outcome: "CREATED" }, "3"],
      [{ orderNumber: "O4", outcome: "UPDATED" }, ""],
      [{ orderNumber: "O4", from: time(2) }, "3"],
      [{ orderNumber: "O4", from: time(2.1) }, ""],
      [{ orderNumber: "O4", to: time(2) }, ""],
      [{ orderNumber: "O4", to: time(2.1) }, "3"],
      [{ orderNumber: "O3", correlationId: "a" }, "3"],
      [{ orderNumber: "O3", correlationId: "c" }, "4"],
      [{ orderNumber: "O3", correlationId: "b" }, ""],
      [{ orderNumber: "O4", shipmentNumber: "S2" }, "3"],
      [{ orderNumber: "O9" }, ""],
      [{ correlationId: "a" }, "3 1"],
      [{ correlationId: "a", shipmentNumber: "S2" }, "3"],
      [{ outcome: "REFUSED" }, "4"],
      [{ outcome: "CREATED" }, "3 2 1"],
      [{ outcome: "UNCHANGED" }, "5"],
      [{ from: time(2) }, "5 4 3"],
      [{ from: time(2.1) }, "5 4"],
      [{ to: time(2) }, "2 1"],
      [{ from: time(1), to: time(3) }, "3 2"],
      [{ from: time(9) }, ""],
      [{ to: time(0) }, ""]
    ]
    for (const [query, expected] of queries) {
      assert.strictEqual(yield* match({ business, ...query }), expected, JSON.stringify(query))
    }
    for (const query of [{ business }, { business, orderNumber: "O3" }]) {
      const whole = yield* list(query)
      const pages = yield* pagesOf(
        (page) => intake.records({ ...query, ...page }, client),
        2
      )
      assert.deepStrictEqual(pages.flat(), whole)
    }
  })

  test("D13.6 of several businesses the newest come first, by time and not by the ids that each counts for itself", function*() {
    const [one, two] = [yield* aRecord, yield* aRecord]
    const client = { ...one.client, grants: [...one.client.grants, ...two.client.grants] }
    const start = Date.now()
    for (const [n, { send }] of [one, one, one, two, one, two, two, one].entries()) {
      // Some documents come later than documents with a higher id, and two at the same time.
      const millis = start + assert.present([0, 5, 3, 1, 5, 2, 9, 8][n])
      yield* at(millis)(send({ shipmentNumber: `S${n % 3}` }, [orderOf("O1")], "C", client))
    }
    const numbers = ({ items }: { readonly items: ReadonlyArray<DocumentRecordView> }) =>
      items.map(({ id, receivedAt }) => [Number(id), Date.parse(receivedAt) - start] as const)
    const times = (record: ReadonlyArray<readonly [number, number]>) => record.map(([, time]) => time)
    const expected = [9, 8, 5, 5, 3, 2, 1, 0]
    for (const query of [{}, { orderNumber: "O1" }, { correlationId: "C" }]) {
      const whole = numbers(yield* one.intake.records(query, client))
      assert.deepStrictEqual(times(whole), expected)
      assert.isAbove(assert.at(whole, 2)[0], assert.at(whole, 3)[0])
      const pages = yield* pagesOf((page) => one.intake.records({ ...query, ...page }, client), 3)
      assert.deepStrictEqual(pages.map(({ length }) => length), [3, 3, 2])
      assert.deepStrictEqual(pages.flatMap((items) => numbers({ items })), whole)
    }
    const time = (millis: number) => new Date(start + millis).toISOString()
    assert.deepStrictEqual(
      times(numbers(yield* one.intake.records({ from: time(2), to: time(5) }, client))),
      [3, 2]
    )
    for (
      const far of [{ from: "0001-01-01T00:00:00Z", to: "9999-12-31T23:59:59Z" }, {
        after: "9999-12-31T23:59:59.999Z_1"
      }]
    ) {
      assert.deepStrictEqual(times(numbers(yield* one.intake.records(far, client))), expected)
    }
    assert.deepStrictEqual(
      (yield* one.intake.records({ after: "0001-01-01T00:00:00.000Z_1" }, client)).items,
      []
    )
    const shipment = yield* one.intake.records({ shipmentNumber: "S1" }, client)
    assert.deepStrictEqual(times(numbers(shipment)), [8, 5, 5])
  })

  test("D21.1 who polls by the time, from a second before the last that was seen, misses no document of many at once", function*() {
    const { business, client, intake, send } = yield* aRecord
    const count = 40
    const sending = yield* Effect.forkChild(Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      (n) => send({ shipmentNumber: `S${n % 4}` }, [orderOf(`O${n % 4}`)], String(n)),
      { concurrency: 8, discard: true }
    ))
    const lots = new Set<string>()
    let from = new Date(0).toISOString()
    for (let isLast = false; !isLast;) {
      isLast = sending.pollUnsafe() !== undefined
      const { items } = yield* intake.records({ business, from, limit: 100 }, client)
      for (const { correlationId } of items) lots.add(correlationId)
      if (items.length > 0) from = new Date(Date.parse(assert.at(items, 0).receivedAt) - 1000).toISOString()
      yield* Effect.yieldNow
    }
    yield* Fiber.join(sending)
    assert.strictEqual(lots.size, count)
  })

  test("D13.6 a page of the record holds at most 10,000 rows and 4 Mi characters", function*() {
    const { business, client, intake, send } = yield* aRecord
    const pages = Effect.map(
      pagesOf((page) => intake.records({ business, ...page }, client), 100),
      (pages) => pages.map(({ length }) => length)
    )
    // Each record has as many changes as the record keeps.
    for (let n = 0; n < 10; n++) yield* send({}, [orderOf("O1", "OVERWRITE", items(recordedLimit))])
    assert.deepStrictEqual(yield* pages, [9, 1])
    const itemsWithIdentifiers = items(recordedLimit).map((item) => ({
      ...item,
      identifier: "x".repeat(1024)
    }))
    // The first of these documents also removes items of the earlier ones.
    for (let n = 0; n < 6; n++) yield* send({}, [orderOf("O1", "OVERWRITE", itemsWithIdentifiers)])
    assert.deepStrictEqual(yield* pages, [4, 9, 3])
  })

  test("D13.6 a client sees the record of its places; what it sends elsewhere has none", function*() {
    const { business, client, intake, list, send } = yield* aRecord
    const other = yield* aRecord
    yield* send({}, [orderOf("O1")])
    yield* send({ facility: "west" }, [orderOf("O2")])
    const west = aClient("west", business, ["west"], "messages:read")
    assert.deepStrictEqual((yield* list({}, west)).map(({ orderNumbers }) => orderNumbers), [["O2"]])
    const [, east] = yield* list({ business })
    for (const principal of [west, other.client, { clientId: "none", grants: [] }]) {
      assert.strictEqual(
        yield* codeOf(intake.record(String(assert.present(east).id), principal)),
        "DOCUMENT_NOT_FOUND"
      )
    }
    assert.strictEqual(yield* codeOf(intake.records({ business }, other.client)), "FORBIDDEN")
    for (const id of ["x", "0", String(Number.MAX_SAFE_INTEGER)]) {
      assert.strictEqual(yield* codeOf(intake.record(id, client)), "DOCUMENT_NOT_FOUND")
    }
    assert.strictEqual(yield* codeOf(send({}, [orderOf("O9")], "", other.client)), "FORBIDDEN")
    assert.strictEqual((yield* list({ business })).length, 2)
    assert.deepStrictEqual(yield* other.list({ business: other.business }), [])
  })
}

/** The suite of the record of documents: of `IntakeStore`, with the ports that it needs. */
export const documentRecordSuite: Suite.Suite<MovementStores> = Suite.ofParts(
  "the record of documents",
  { writing, reading, removing, faulty },
  services
)
