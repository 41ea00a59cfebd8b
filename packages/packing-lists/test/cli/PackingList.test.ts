/** `dockline packing-list`: suggests a mapping, previews a file, and sends it with progress. */
import { assert, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { vault } from "../../../../test/http/operator/Operator.ts"
import { layerMemory, unique } from "../../../../test/support/TestServer.ts"
import * as FakeService from "../../../cli/test/FakeService.ts"
import { commands, customer, dockline, folder } from "../../../cli/test/Operating.ts"
import { runLine } from "../../../cli/test/Running.ts"
import { env } from "../../../cli/test/Showing.ts"
import recorded from "../../src/domain/answers.json" with { type: "json" }
import type { PackingListAnswer } from "../../src/domain/PackingList.ts"
import { partLimits } from "../../src/intake/PackingLists.ts"
import { textRow, xlsx } from "../Xlsx.ts"

const place = ["--business", "acme", "--facility", "east"]

commands(layerMemory({ vault }), (command) => {
  command("packing-list suggest and send a file, with progress", function*() {
    const path = yield* folder
    const file = join(path, "list.csv")
    const mappingFile = join(path, "mapping.json")
    const orders = Array.from({ length: partLimits.shipments + 1 }, () => unique("PO"))
    writeFileSync(
      file,
      ["Order No;SSCC;Article;Qty;UoM;Colour", ...orders.map((order) => `${order};00${order};A;1;CASE;red`)]
        .join("\n")
    )
    const suggestion = yield* dockline(["packing-list", "suggest", file, ...place], customer)
    assert.strictEqual(suggestion.code, 0, suggestion.errors)
    assert.include(suggestion.errors, "Column F (Colour) has no field.")
    const mapping = JSON.parse(suggestion.data)
    writeFileSync(
      mappingFile,
      JSON.stringify({ ...mapping, values: [{ field: "direction", value: "INBOUND" }] })
    )

    const sending = ["packing-list", "send", file, ...place, "--mapping-file", mappingFile]
    const dry = yield* dockline([...sending, "--dry-run", "--json"], customer)
    assert.strictEqual(dry.code, 0, dry.errors)
    const preview: PackingListAnswer = JSON.parse(dry.data)
    assert.deepStrictEqual(preview.orders.map(({ orderNumber }) => orderNumber), orders)
    assert.isTrue(preview.orders.every(({ created, outcome }) => outcome === "CREATED" && created === 1))

    const result = yield* dockline(sending, customer)
    assert.strictEqual(result.code, 0, result.errors)
    assert.include(result.errors, `${partLimits.shipments} of ${orders.length} orders`)
    assert.strictEqual(result.data.trimEnd().split("\n").length, orders.length + 1)
  })

  command(
    "packing-list send names each fault at its cell, and sends the others where that is asked for",
    function*() {
      const path = yield* folder
      const file = join(path, "list.xlsx")
      const mappingFile = join(path, "mapping.json")
      const [good, bad] = [unique("PO"), unique("PO")]
      writeFileSync(
        file,
        xlsx({
          List: textRow(1, "Order", "LPN", "SKU", "Quantity", "Unit") +
            textRow(2, bad, "001", "A", "x", "CASE") +
            textRow(3, good, "002", "A", "2", "CASE")
        })
      )
      const suggestion = yield* dockline(["packing-list", "suggest", file, ...place], customer)
      writeFileSync(
        mappingFile,
        JSON.stringify({ ...JSON.parse(suggestion.data), values: [{ field: "direction", value: "INBOUND" }] })
      )
      const sending = ["packing-list", "send", file, ...place, "--mapping-file", mappingFile]
      const refusal = yield* dockline(sending, customer)
      assert.deepStrictEqual([refusal.code, refusal.data], [1, ""])
      assert.include(refusal.errors, "D2")
      const result = yield* dockline([...sending, "--faultless"], customer)
      assert.strictEqual(result.code, 1)
      assert.match(result.data, new RegExp(`${bad} .* FAULTY .*\n${good} .* CREATED `))
      assert.include(result.errors, "sheet List, D2: Quantity (quantity) is no number")
      assert.include(result.errors, "1 of 2 orders were not taken")
    }
  )

  command("packing-list keeps mappings, sends by the name of one, and deletes it", function*() {
    const path = yield* folder
    const [file, mappingFile] = [join(path, "list.csv"), join(path, "mapping.json")]
    const [column, name] = [unique("Palette"), unique("partner").toLowerCase()]
    const keeping = ["--business", "acme", "--name", name]
    const columns = { Order: "orderNumber", [column]: "lpn", SKU: "sku", Quantity: "quantity" }
    writeFileSync(file, `Order;${column};SKU;Quantity;UoM\n${unique("PO")};001;A;1;CASE\n`)
    writeFileSync(
      mappingFile,
      JSON.stringify({
        columns: Object.entries({ ...columns, UoM: "quantityUnit" }).map(([column, field]) => ({
          column,
          field
        })),
        values: [{ field: "direction", value: "INBOUND" }]
      })
    )
    const first = yield* dockline(
      ["packing-list", "save-mapping", ...keeping, "--mapping-file", mappingFile],
      customer
    )
    assert.strictEqual(first.code, 0, first.errors)
    const list = yield* dockline(["packing-list", "mappings", "--business", "acme"], customer)
    assert.include(list.data, name)
    const suggestion = yield* dockline(["packing-list", "suggest", file, ...place], customer)
    assert.include(suggestion.errors, `The business keeps it as ${name}.`)
    const sending = ["packing-list", "send", file, ...place, "--mapping", name]
    const result = yield* dockline(sending, customer)
    assert.strictEqual(result.code, 0, result.errors)
    assert.include(result.data, "CREATED")
    assert.strictEqual((yield* dockline([...sending, "--mapping-file", mappingFile], customer)).code, 2)
    yield* dockline(["packing-list", "delete-mapping", ...keeping], customer)
    const last = yield* dockline(sending, customer)
    assert.strictEqual(last.code, 1)
    assert.include(last.errors, "Unknown mapping of packing lists")
  })

  command("packing-list send refuses what is no mapping", function*() {
    const path = yield* folder
    const file = join(path, "list.csv")
    writeFileSync(file, "Order\n")
    const result = yield* dockline(["packing-list", "send", file, ...place, "--mapping-file", file], customer)
    assert.strictEqual(result.code, 2)
    assert.include(result.errors, "--mapping-file")
  })
})

it("packing-list send shows what was done before a part was refused", async () => {
  const answer = { ...recorded.answers.sendPackingList, dryRun: false, orderCount: 2, next: "1-0" }
  await using service = await FakeService.serve((request, response) => {
    const isFirst = request.path.includes("from=") === false
    const reply = isFirst ? FakeService.json(answer) : FakeService.problem(403, { code: "FORBIDDEN" })
    reply(request, response)
  })
  const { code, data, errors } = await runLine(["packing-list", "send", "-", ...place], {
    env: env(service.url),
    stdin: "Order"
  })
  assert.notStrictEqual(code, 0)
  assert.match(data, /PO-1 .* CREATED/)
  assert.include(errors, "1 of 2 orders")
  assert.strictEqual(service.requests.length, 2)
})
