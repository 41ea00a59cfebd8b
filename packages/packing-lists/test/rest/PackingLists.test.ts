/** D25 over REST: a file is previewed order by order, and sent as a whole or without its faulty orders. */
import type { DocumentRecordView } from "@dockline/core/document/DocumentRecord"
import type { ShipmentView } from "@dockline/core/shipment/View"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { bodyOf, faultsOf } from "../../../../test/http/operator/Operator.ts"
import { serving } from "../../../../test/http/Serving.ts"
import {
  layerMemory,
  layerPostgres,
  refusalOf,
  TestServer,
  unique
} from "../../../../test/support/TestServer.ts"
import type { PageView, RequestOptions } from "../../../../test/support/TestServer.ts"
import { xlsxType } from "../../src/domain/PackingList.ts"
import type { PackingListAnswer } from "../../src/domain/PackingList.ts"
import { partLimits } from "../../src/intake/PackingLists.ts"
import { textRow, xlsx, zip } from "../Xlsx.ts"

const head = "Order;Pallet;Article;Qty;Unit"

const mapping = {
  columns: [
    { column: "Order", field: "orderNumber" },
    { column: "Pallet", field: "lpn" },
    { column: "Article", field: "sku" },
    { column: "Qty", field: "quantity" },
    { column: "Unit", field: "quantityUnit" }
  ],
  values: [{ field: "direction", value: "INBOUND" }]
}

const place = { business: "acme", facility: "east" }

interface Sending extends RequestOptions {
  readonly query?: Readonly<Record<string, string>>
  readonly mapping?: unknown
  readonly type?: string
}

const send = (
  file: string | Uint8Array,
  { mapping: by = mapping, query = {}, type = "text/csv", ...options }: Sending = {}
) =>
  TestServer.use(({ request }) => {
    const parameters = new URLSearchParams({
      ...place,
      ...by === null ? {} : { mapping: JSON.stringify(by) },
      ...query
    })
    return request("POST", `/v1/packing-lists?${parameters.toString()}`, {
      ...options,
      headers: { "content-type": type },
      body: file
    })
  })

const answerTo = (file: string | Uint8Array, sending?: Sending) =>
  Effect.map(send(file, sending), (reply) => bodyOf<PackingListAnswer>(reply, 200))

/** A dry run, and the outcomes of the orders when the file is sent after it. */
const both = Effect.fnUntraced(function*(file: string | Uint8Array, sending: Sending = {}) {
  const dry = yield* answerTo(file, { ...sending, query: { ...sending.query, dryRun: "true" } })
  return [dry, yield* answerTo(file, sending)] as const
})

const changesOf = ({ orders }: PackingListAnswer) =>
  orders.map(({ created, orderNumber, outcome, removed, updated }) =>
    `${orderNumber} ${outcome} +${created} ~${updated} -${removed}`
  )

const shipmentsOf = (number: string) =>
  Effect.map(
    TestServer.use(({ get }) => get(`/v1/shipments?business=acme&shipmentNumber=${number}`)),
    (reply) => bodyOf<PageView<{ readonly id: number }>>(reply, 200).items
  )

for (const [name, server] of [["memory", layerMemory()], ["PostgreSQL", layerPostgres()]] as const) {
  serving<TestServer, never>(`packing lists over REST, on ${name}`, server, (test) => {
    test("D25.6 a dry run says of each order what sending does, and writes nothing", function*() {
      const [one, two, load] = [unique("PO"), unique("PO"), unique("L")]
      const by = { ...mapping, columns: [...mapping.columns, { column: "Load", field: "shipmentNumber" }] }
      const lines = (...rows: ReadonlyArray<string>) =>
        [`${head};Load`, ...rows.map((row) => `${row};CASE;${load}`)].join("\n")
      const first = lines(`${one};00012;A;1`, `${one};00013;A;1`, `${two};00014;A;2`)
      const dry = yield* answerTo(first, { mapping: by, query: { dryRun: "true" } })
      assert.deepStrictEqual(changesOf(dry), [`${one} CREATED +2 ~0 -0`, `${two} CREATED +1 ~0 -0`])
      assert.deepStrictEqual(yield* shipmentsOf(load), [])
      const real = yield* answerTo(first, { mapping: by })
      assert.deepStrictEqual(changesOf(real), changesOf(dry))
      assert.isTrue(dry.dryRun && !real.dryRun)
      const [{ id } = { id: 0 }] = yield* shipmentsOf(load)
      assert.deepStrictEqual(real.orders.map(({ shipmentId }) => shipmentId), [String(id), String(id)])

      const second = lines(`${one};00012;A;5`, `${two};00014;A;2`, `${two};00015;A;2`)
      const [preview, result] = yield* both(second, { mapping: by })
      assert.deepStrictEqual(changesOf(preview), [`${one} UPDATED +1 ~0 -2`, `${two} UPDATED +2 ~0 -1`])
      assert.deepStrictEqual(changesOf(result), changesOf(preview))

      const merge = { ...by, strategy: "MERGE" }
      const [third, fourth] = yield* both(lines(`${two};00015;A;3`, `${two};00016;A;3`), { mapping: merge })
      assert.deepStrictEqual(changesOf(third), [`${two} UPDATED +1 ~1 -0`])
      assert.deepStrictEqual(changesOf(fourth), changesOf(third))

      const server = yield* TestServer
      const shipment = bodyOf<ShipmentView>(yield* server.get(`/v1/shipments/${id}`), 200)
      assert.deepStrictEqual(
        shipment.orders.map(({ items }) => items.map(({ lpn, quantity }) => `${lpn} ${quantity}`)),
        [["00012 5"], ["00014 2", "00015 3", "00016 3"]]
      )
      const records = bodyOf<PageView<DocumentRecordView>>(
        yield* server.get(`/v1/documents?business=acme&shipmentNumber=${load}`),
        200
      )
      assert.strictEqual(records.items.length, 3)
    })

    test("D25.5 a file with faults is not sent, but for its orders without faults where that is asked for", function*() {
      const [good, bad] = [unique("PO"), unique("PO")]
      const file = `${head}\n${bad};1;A;x;CASE\n${good};2;A;1;CASE\n`
      const reply = yield* send(file)
      assert.deepStrictEqual(refusalOf(reply), [422, "PACKING_LIST_FAULTY"])
      assert.deepStrictEqual(faultsOf(reply), { D2: "quantity: is no number" })
      assert.deepStrictEqual(yield* shipmentsOf(good), [])
      // The dry run succeeds where sending is refused, and names the reason for that refusal.
      const whole = yield* answerTo(file, { query: { dryRun: "true" } })
      assert.deepStrictEqual(changesOf(whole), [`${bad} FAULTY +0 ~0 -0`, `${good} CREATED +1 ~0 -0`])
      assert.strictEqual(whole.faultCount, 1)
      const [dry, real] = yield* both(file, { query: { faultless: "true" } })
      assert.deepStrictEqual(changesOf(dry), [`${bad} FAULTY +0 ~0 -0`, `${good} CREATED +1 ~0 -0`])
      assert.deepStrictEqual(changesOf(real), changesOf(dry))
      assert.deepStrictEqual(dry.orders[0]?.faults, [{
        sheet: "",
        row: 2,
        column: "D",
        name: "Qty",
        field: "quantity",
        value: "x",
        detail: "is no number"
      }])
      assert.strictEqual((yield* shipmentsOf(good)).length, 1)
      assert.deepStrictEqual(yield* shipmentsOf(bad), [])
    })

    test("D25.5 a file with a line of no order is not sent at all, as the line may be of any order", function*() {
      const order = unique("PO")
      const file = `${head}\n${order};1;A;1;CASE\n;2;A;1;CASE\n`
      const query = { faultless: "true" }
      const reply = yield* send(file, { query })
      assert.deepStrictEqual(refusalOf(reply), [422, "PACKING_LIST_FAULTY"])
      assert.deepStrictEqual(faultsOf(reply), { A3: "orderNumber: is required" })
      const dry = yield* answerTo(file, { query: { ...query, dryRun: "true" } })
      assert.deepStrictEqual(dry.faults.map(({ row }) => row), [3])
      assert.deepStrictEqual(yield* shipmentsOf(order), [])
    })

    test("D25.6 an answer has at most 1,000 faults, and names of columns are not longer than texts", function*() {
      const load = unique("L")
      const by = { ...mapping, columns: [...mapping.columns, { column: "Load", field: "shipmentNumber" }] }
      const lines = Array.from({ length: 1100 }, (_, at) => `${load}-${at};${at};A;x;CASE;${load}`)
      const dry = yield* answerTo([`${head};Load`, ...lines].join("\n"), {
        mapping: by,
        query: { dryRun: "true" }
      })
      assert.deepStrictEqual([dry.faultCount, dry.orders.length], [1100, 1100])
      assert.strictEqual(dry.orders.flatMap(({ faults }) => faults).length, 1000)
      const reply = yield* send(`${head};${"n".repeat(1025)}\n`)
      assert.deepStrictEqual(refusalOf(reply), [400, "PACKING_LIST_REFUSED"])
    })

    test("what the rules of documents refuse is refused by itself, in the dry run as well", function*() {
      const [good, bad] = [unique("PO"), unique("PO")]
      const by = { ...mapping, columns: [...mapping.columns, { column: "Door", field: "dockSlug" }] }
      const file = `${head};Door\n${bad};1;A;1;CASE;D99\n${good};2;A;1;CASE;D1\n`
      const [dry, real] = yield* both(file, { mapping: by })
      assert.deepStrictEqual(changesOf(dry), [`${bad} REFUSED +0 ~0 -0`, `${good} CREATED +1 ~0 -0`])
      assert.deepStrictEqual(changesOf(real), changesOf(dry))
      assert.include(dry.orders[0]?.faults[0]?.detail, "D99")
      assert.strictEqual(dry.orders[0]?.faults[0]?.row, 2)
    })

    test("XLSX is taken as it is, zeros kept, from the sheet of the mapping", function*() {
      const order = unique("PO")
      const rows = textRow(1, ...head.split(";")) + textRow(2, order, "000123", "SKU-1", "2", "CASE")
      const file = xlsx({ Notes: textRow(1, "nothing"), List: rows })
      const sending = { type: xlsxType, mapping: { ...mapping, sheet: "List" } }
      const [dry, real] = yield* both(file, sending)
      assert.deepStrictEqual([dry.sheet, dry.sheets], ["List", ["Notes", "List"]])
      assert.deepStrictEqual(changesOf(real), [`${order} CREATED +1 ~0 -0`])
      const server = yield* TestServer
      const shipment = bodyOf<ShipmentView>(
        yield* server.get(`/v1/shipments/${real.orders[0]!.shipmentId}`),
        200
      )
      assert.strictEqual(shipment.orders[0]?.items[0]?.lpn, "000123")
    })

    test("a dry run without a mapping suggests one; sending takes one", function*() {
      const file = `Bestellnummer;NVE;Artikelnr.;Menge;Einheit;Farbe\n${unique("PO")};1;A;1;CASE;rot\n`
      const dry = yield* answerTo(file, { mapping: null, query: { dryRun: "true" } })
      assert.isTrue(dry.isSuggested)
      assert.deepStrictEqual(dry.columns.map(({ field }) => field), [
        "orderNumber",
        "lpn",
        "sku",
        "quantity",
        "quantityUnit",
        ""
      ])
      assert.deepStrictEqual(dry.columns[5], { letters: "F", name: "Farbe", field: "", examples: ["rot"] })
      assert.deepStrictEqual(dry.faults.map(({ detail }) => detail), [
        "no column has direction, and no value of the mapping"
      ])
      const reply = yield* send(file, { mapping: null })
      assert.deepStrictEqual([reply.status, Object.keys(faultsOf(reply))], [400, ["mapping"]])
    })

    test("D25.7 a file is read by a mapping that the business keeps, and sent by its name", function*() {
      const server = yield* TestServer
      const [column, order, name] = [unique("Palette"), unique("PO"), unique("partner").toLowerCase()]
      const large = {
        ...mapping,
        columns: mapping.columns.map((each) => each.field === "lpn" ? { ...each, column } : each)
      }
      const change = (path: string, body: object, client: "acme-client" | "globex-client" = "acme-client") =>
        server.request("POST", `/v1/packing-lists/mappings${path}`, {
          client,
          headers: { "content-type": "application/json", "idempotency-key": unique("key") },
          body: JSON.stringify(body)
        })
      const small = { ...large, columns: large.columns.filter(({ field }) => field !== "quantityUnit") }
      for (const [of, by] of [[name, large], [`${name}-2`, small]] as const) {
        const reply = yield* change("", { business: "acme", name: of, mapping: by })
        assert.strictEqual(reply.status, 200, reply.text)
      }
      const file = `${head.replace("Pallet", column)}\n${order};00012;A;1;CASE\n`
      // If the file has the columns of two mappings, the one with more columns counts.
      const dry = yield* answerTo(file, { mapping: null, query: { dryRun: "true" } })
      assert.deepStrictEqual([dry.mappingName, dry.isSuggested], [name, true])
      assert.deepStrictEqual(changesOf(dry), [`${order} CREATED +1 ~0 -0`])
      // A file with other columns is read by their names.
      const other = yield* answerTo(`${head}\n${order};1;A;1;CASE\n`, {
        mapping: null,
        query: { dryRun: "true" }
      })
      assert.deepStrictEqual([other.mappingName, other.isSuggested], ["", true])
      const real = yield* answerTo(file, { mapping: null, query: { mapping: name } })
      assert.deepStrictEqual([real.mappingName, real.isSuggested], [name, false])
      assert.deepStrictEqual(changesOf(real), changesOf(dry))

      const key = { business: "acme", name }
      assert.deepStrictEqual((yield* change("/delete", key)).body, { deleted: true })
      const reply = yield* send(file, { mapping: null, query: { mapping: name } })
      assert.deepStrictEqual(refusalOf(reply), [404, "PACKING_LIST_MAPPING_NOT_FOUND"])
      const theirs = yield* change("", { ...key, mapping: large }, "globex-client")
      assert.strictEqual(theirs.status, 403)
      assert.deepStrictEqual((yield* change("/delete", { ...key, name: `${name}-2` })).body, {
        deleted: true
      })
    })

    test("D25.7 a mapping is kept if it is a mapping, is not too long, and has a name", function*() {
      const server = yield* TestServer
      const long = Array.from({ length: 200 }, (_, at) => ({ column: `${at}`.padEnd(100), field: "lpn" }))
      for (
        const [body, path] of [
          [{ business: "acme", name: "Nordwind", mapping }, "name"],
          [{ business: "acme", name: "nordwind", mapping: { columns: long } }, "mapping"],
          [{ business: "acme", name: "nordwind", mapping: { columns: [] } }, "mapping.columns"],
          [{ business: "acme", name: "nordwind" }, "mapping"]
        ] as const
      ) {
        const reply = yield* server.request("POST", "/v1/packing-lists/mappings", {
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body)
        })
        assert.deepStrictEqual([reply.status, Object.keys(faultsOf(reply))], [422, [path]], reply.text)
      }
      const reply = yield* server.request("POST", "/v1/packing-lists/mappings", {
        headers: { "content-type": "application/json", "if-match": `"1"` },
        body: JSON.stringify({ business: "acme", name: "nordwind", mapping })
      })
      assert.strictEqual(reply.status, 400, reply.text)
    })

    test("a mapping without columns says how a file is read for which they are suggested", function*() {
      const file = `List of Friday;\n${head}\n${unique("PO")};1;A;1;CASE\n`
      const by = { columns: [], headerRow: 2, separator: "SEMICOLON", dates: "DAY_MONTH_YEAR" }
      const dry = yield* answerTo(file, { mapping: by, query: { dryRun: "true" } })
      assert.deepStrictEqual(
        [dry.isSuggested, dry.mapping.headerRow, dry.mapping.dates, dry.mapping.columns.length],
        [true, 2, "DAY_MONTH_YEAR", 5]
      )
      const reply = yield* send(file, { mapping: by })
      assert.deepStrictEqual([reply.status, Object.keys(faultsOf(reply))], [400, ["mapping"]])
    })

    test("a large file is handled in parts, each once", function*() {
      const orders = Array.from({ length: partLimits.shipments + 5 }, () => unique("PO"))
      const file = [head, ...orders.map((order) => `${order};L-${order};A;1;CASE`)].join("\n")
      const first = yield* answerTo(file)
      assert.deepStrictEqual([first.shipmentCount, first.orders.length], [
        orders.length,
        partLimits.shipments
      ])
      const from = first.next ?? ""
      // Another file, or another mapping, has other shipments before this point: no part would send some of them.
      for (
        const [text, by] of [
          [`${file}\n`, mapping],
          [file.replace(";A;", ";B;"), mapping],
          [file, { ...mapping, strategy: "MERGE" }]
        ] as const
      ) {
        const reply = yield* send(text, { mapping: by, query: { from } })
        assert.deepStrictEqual(refusalOf(reply), [409, "PACKING_LIST_CHANGED"])
      }
      assert.deepStrictEqual(yield* shipmentsOf(`L-${orders.at(-1)}`), [])
      const last = yield* answerTo(file, { query: { from } })
      assert.deepStrictEqual([last.next, last.orders.length], [null, 5])
      assert.deepStrictEqual([...first.orders, ...last.orders].map(({ orderNumber }) => orderNumber), orders)
      const behind = yield* answerTo(file, { query: { from: from.replace(/^\d+/, "99999") } })
      assert.deepStrictEqual([behind.orders, behind.next], [[], null])
    })

    test("files that are none, or hostile, are refused with their remedy", function*() {
      const bomb = zip([{ name: "xl/media/bomb", content: Buffer.alloc(4 << 20) }])
      for (
        const [file, type, detail] of [
          ["no zip", xlsxType, "no XLSX file"],
          [bomb, xlsxType, "too much"],
          [Buffer.from([0x4f, 0xff, 0x0a]), "text/csv", "not in UTF-8"],
          [`a,"b`, "text/csv", "Row 1: a quoted cell does not end"]
        ] as const
      ) {
        const reply = yield* send(file, { type })
        assert.deepStrictEqual(refusalOf(reply), [400, "PACKING_LIST_REFUSED"])
        assert.include(reply.text, detail)
      }
      assert.strictEqual((yield* send("x", { type: "application/json" })).status, 415)
      const latin = Buffer.from(`Bestellnummer;Größe\nPO-1;1\n`, "latin1")
      const dry = yield* answerTo(latin, {
        mapping: null,
        type: "text/csv; charset=iso-8859-1",
        query: { dryRun: "true" }
      })
      assert.strictEqual(dry.columns[1]?.name, "Größe")
    })

    test("parameters and mappings are checked, and so are permissions", function*() {
      for (
        const [sending, path] of [
          [{ query: { dryRun: "yes" } }, "dryRun"],
          [{ query: { from: "-1" } }, "from"],
          [{ query: { from: "50" } }, "from"],
          [{ query: { facility: "" } }, "facility"],
          [{ query: { dryrun: "true" } }, "dryrun"],
          [{ mapping: { columns: [{ column: "a", field: "nothing" }] } }, "mapping.columns[0].field"],
          [{ mapping: { columns: [], decimal: "DOT" } }, "mapping.decimal"],
          [{ mapping: "{" }, "mapping"],
          [{ mapping: null, query: { mapping: "Not a name" } }, "mapping"]
        ] as const
      ) {
        const reply = yield* send(`${head}\n`, sending)
        assert.deepStrictEqual([reply.status, Object.keys(faultsOf(reply))], [400, [path]], reply.text)
      }
      assert.strictEqual((yield* send(`${head}\n`, { query: { facility: "nowhere" } })).status, 404)
      assert.strictEqual((yield* send(`${head}\n`, { client: "globex-client" })).status, 403)
      assert.strictEqual((yield* send(`${head}\n`, { client: "tower" })).status, 403)
    })
  })
}
