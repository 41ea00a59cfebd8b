/**
 * The record of documents that removed entities (D13.6).
 */
import { recordedLimit } from "@dockline/core/document/DocumentRecord"
import type { DocumentRecordView } from "@dockline/core/document/DocumentRecord"
import type { RecordQuery } from "@dockline/core/document/Intake"
import * as assert from "../../Assert.ts"
import { anItem, orderOf } from "../../generators/Given.ts"
import { codeOf } from "../../worlds/MovementWorld.ts"
import { aRecord } from "../../worlds/RecordWorld.ts"
import type { AddTest } from "../../worlds/RecordWorld.ts"

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
