/**
 * The commands about what passes the docks, what each shows, and that `--json` is the body of the answer.
 */
import { recently } from "@dockline/testing/generators/Given"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Facility from "../../../test/http/facility/Facility.ts"
import { item, order, xml } from "../../../test/http/Sample.ts"
import { layerMemory } from "../../../test/support/GraphqlServer.ts"
import { TestServer, unique } from "../../../test/support/TestServer.ts"
import * as Child from "./Child.ts"
import {
  asking,
  columnsOf,
  commands,
  customer,
  dockline,
  environment,
  folder,
  refusalOf,
  showsNoSecret,
  tower,
  vault
} from "./Operating.ts"
import { runLine } from "./Running.ts"

const { json, run } = asking(customer)

const api = Effect.fnUntraced(function*(path: string) {
  const { get } = yield* TestServer
  const reply = yield* get(path)
  assert.strictEqual(reply.status, 200, reply.text)
  return reply.body
})

const load = (shipmentId: number, lpn: string, fields: object = {}) =>
  Facility.record(Facility.palletEvent({ shipmentId, labels: [Facility.label("lpn", lpn)], ...fields }))

/** A shipment of two expected pallets, of which one was loaded, and another that belongs to a second shipment. */
const setUp = Effect.gen(function*() {
  const [first, second, third] = [unique("L"), unique("L"), unique("L")]
  const shipment = yield* Facility.scheduled({ dockSlug: "D1" }, first, second)
  const other = yield* Facility.scheduled({}, third)
  for (const lpn of [first, third]) assert.strictEqual((yield* load(shipment.id, lpn)).status, 201)
  return { shipment, other, lpns: [first, second, third] as const }
})

commands(layerMemory({ vault }), (command) => {
  command("shipment check-in", function*() {
    const { id: shipment } = yield* Facility.scheduled()
    const checkedIn = yield* json("shipment", "check-in", String(shipment), "DOOR_ASSIGNED", "--dock", "D2")
    assert.deepInclude(checkedIn, { id: shipment, status: "SCHEDULED", dockSlug: "D2" })
    assert.strictEqual(checkedIn.statusEvents[1].status, "DOOR_ASSIGNED")
  })

  command("pallet record, show; shipment arrive, link, depart", function*() {
    const lpn = unique("L")
    const [shipment, other] = [
      yield* Facility.scheduled({ dockSlug: "D1" }, lpn),
      yield* Facility.scheduled()
    ]
    const [id, otherId] = [String(shipment.id), String(other.id)]
    const { json: step } = asking(tower)
    const arrivedAt = recently("17:00:00Z")
    const local = recently("18:00:00Z").replace("Z", "+01:00")
    const arrived = yield* step(`shipment arrive ${id} --dock D2 --at ${local}`)
    assert.deepInclude(arrived, { id: shipment.id, status: "ARRIVED", dockSlug: "D2" })
    assert.deepInclude(arrived.statusEvents[1], { status: "ARRIVED", completedAt: arrivedAt })
    const event = ["--event", unique("E"), "--business", "acme", "--facility", "east", "--dock", "D2"]
    const palletEvent = [...event, "--direction", "LOADING", "--at", arrivedAt, "--shipment", id]
    const pallet = yield* step(
      "pallet",
      "record",
      ...palletEvent,
      "--label",
      `lpn=${lpn}`,
      "--label",
      "sku=a=b"
    )
    assert.deepInclude(pallet, { serviceShipmentId: id, orders: [shipment.shipmentNumber] })
    assert.deepStrictEqual(
      yield* step("pallet", "record", ...palletEvent, "--label", `lpn=${lpn}`, "--label", "sku=a=b"),
      pallet
    )
    const mislabelledEvent = yield* dockline(["pallet", "record", ...palletEvent, "--label", "lpn"], tower)
    assert.deepStrictEqual([mislabelledEvent.code, mislabelledEvent.data], [2, ""])
    assert.include(mislabelledEvent.errors, "name=value, such as lpn=LPN-1")
    const text = yield* run("pallet", "show", id, pallet.servicePalletId)
    assert.match(text, /^labels 1 +name lpn, value \S+\nlabels 2 +name sku, value a=b$/m)
    const line = RegExp(
      `^events 1 +direction LOADING, occurred at ${arrivedAt}, dock slug D2, .*, verdict kind EXPECTED, `,
      "m"
    )
    assert.match(text, line)
    assert.deepStrictEqual(
      yield* json("pallet", "show", id, pallet.servicePalletId),
      yield* api(`/v1/shipments/${id}/pallets/${pallet.servicePalletId}`)
    )
    const link = yield* step("shipment", "link", id, otherId)
    assert.deepStrictEqual(link.id, shipment.id)
    const itself = yield* dockline(["shipment", "link", id, id], tower)
    assert.include(refusalOf(itself), "422 Unprocessable Entity")
    const departure = yield* step("shipment", "depart", id, "--idempotency-key", `depart-${id}`)
    assert.strictEqual(departure.status, "DEPARTED")
  })

  command("shipment list, show, pallets, discrepancies", function*() {
    const { lpns: [first, second, third], other, shipment } = yield* setUp
    const id = String(shipment.id)
    const number = shipment.shipmentNumber
    const list = yield* run(`shipment list --number ${number} --business acme --facility east`)
    assert.match(columnsOf(list), /^ID +NUMBER +STATUS +DIRECTION +FACILITY +DOCK +PASSED +UNEXPECTED$/)
    assert.match(
      list.split("\n")[1]!,
      new RegExp(`^${id} +${number} +ARRIVED +OUTBOUND +acme/east +D1 +1 of 2 +1$`)
    )
    const text = yield* run("shipment", "show", id)
    assert.match(
      text,
      /^progress expected pallets +2\nprogress passed pallets +2\nprogress missing pallets +1\nprogress unexpected pallets +1$/m
    )
    assert.match(text, new RegExp(`^orders 1 +id \\d+, .*order number ${number}, .*items 2`, "m"))
    assert.deepStrictEqual(yield* json("shipment", "show", id), yield* api(`/v1/shipments/${id}`))

    const pallets = yield* run("shipment", "pallets", id)
    assert.match(columnsOf(pallets), /^ID +LPN +STATE +EXPECTED +DOCK +LAST SEEN +ORDERS$/)
    assert.match(pallets, new RegExp(`^\\d+ +${first} +LOADED +yes +D1 +\\S+ +${number}$`, "m"))
    assert.match(pallets, new RegExp(`^\\d+ +${third} +LOADED +no +D1 +\\S+ +${number}$`, "m"))

    const discrepancies = yield* run("shipment", "discrepancies", id)
    assert.match(columnsOf(discrepancies), /^KIND +LPN +PALLET +DOCK +EXPECTED ON +PROVISIONAL$/)
    assert.match(discrepancies, new RegExp(`^SHORT +${second} +- +- +- +yes$`, "m"))
    assert.match(
      discrepancies,
      new RegExp(
        `^WRONG_SHIPMENT +${third} +\\d+ +D1 +${other.id} \\(${other.shipmentNumber}\\) +yes$`,
        "m"
      )
    )

    const badPage = yield* dockline(["shipment", "list", "--after", "x"], customer)
    assert.deepStrictEqual([badPage.code, badPage.data], [2, ""])
    assert.match(badPage.errors, /flag --after: "x"\. .*is not the next of an earlier list/)
  })

  command("message tail", function*() {
    const { ids } = yield* Facility.palletMessages(3)
    const after = String(ids[0]! - 1)
    const messages = yield* run("message", "tail", "acme", "--after", after, "--limit", "2")
    assert.match(columnsOf(messages), /^ID +SENT +TYPE +FACILITY +WHAT$/)
    assert.match(
      messages.split("\n")[1]!,
      new RegExp(`^${ids[0]} +\\S+ +PALLET_EVENT +east +LOADING shipment \\d+ `)
    )
    const nobody = yield* dockline(["message", "tail", "globex", "--after", "0"], customer)
    assert.include(refusalOf(nobody), "403 Forbidden")
  })

  command(
    "document send, in JSON and XML, from a file and standard input, as a dry run and once",
    function*() {
      const path = yield* folder
      const document = order({ items: [item("L1"), item("L2")] })
      const number = document.orderNumber
      writeFileSync(join(path, "order.json"), JSON.stringify(document))
      const dryRun = yield* dockline(["document", "send", join(path, "order.json"), "--dry-run"], customer)
      assert.deepStrictEqual(dryRun, {
        code: 0,
        data:
          `shipment  (${number}), SCHEDULED\nversion   1\ncreated   1 shipment, 1 order, 2 items\nupdated   -\nremoved   -\n`,
        errors: "This was a dry run: nothing was written.\n"
      })
      const receipt = yield* json("document", "send", join(path, "order.json"), "--idempotency-key", number)
      const { id } = receipt.shipment
      const documentList = yield* run("document", "list", "--order-number", number)
      assert.match(columnsOf(documentList), /^ID +RECEIVED +CLIENT +FACILITY +SHIPMENT +OUTCOME +CHANGED$/)
      assert.match(
        documentList.split("\n")[1]!,
        new RegExp(`^\\d+ +\\S+Z +acme-client +acme/east +${number} +CREATED +\\+4 ~0 -0$`)
      )
      const list = yield* json("document", "list", "--order-number", number, "--outcome", "CREATED")
      assert.deepStrictEqual(list, yield* api(`/v1/documents?orderNumber=${number}`))
      const recordId = String(list.items[0].id)
      assert.deepStrictEqual(yield* json("document", "show", recordId), list.items[0])
      assert.match(
        yield* run("document", "show", recordId),
        /^counts created +4\ncounts updated +0\ncounts removed +0\ncounts replaced +0$/m
      )
      assert.include(refusalOf(yield* dockline(["document", "show", "999999"], customer)), "404 Not Found")
      assert.isAbove(id, 0)
      const again = yield* json("document", "send", join(path, "order.json"), "--idempotency-key", number)
      assert.deepStrictEqual(again, receipt)

      const change = { ...document, orderItemUpdateStrategy: "DELETE", items: [{ lpn: "L1", sku: "SKU" }] }
      writeFileSync(join(path, "order.XML"), xml(change))
      assert.strictEqual(
        yield* run("document", "send", join(path, "order.XML")),
        `shipment  ${id} (${number}), SCHEDULED\nversion   2\ncreated   -\nupdated   1 shipment, 1 order\nremoved   1 item\n`
      )
      const { port } = yield* TestServer
      // A process of its own, which reads what is piped to it.
      const pipe = yield* Effect.promise(() =>
        Child.start(["document", "send", "-", "--type", "xml"], { ...environment(port), ...customer }, {
          stdin: xml(change)
        }).ended
      )
      showsNoSecret(pipe)
      assert.deepStrictEqual([pipe.code, pipe.errors], [0, ""])
      assert.match(pipe.data, /^removed {3}-$/m)

      const refusal = yield* dockline(["document", "send", "-"], customer)
      assert.deepStrictEqual([refusal.code, refusal.data], [2, ""])
      assert.include(refusal.errors, "Name the format of - with --type json or --type xml")
      const missing = yield* dockline(["document", "send", join(path, "none.json")], customer)
      assert.deepStrictEqual([missing.code, missing.data], [2, ""])
      assert.include(missing.errors, "none.json cannot be read")
      writeFileSync(join(path, "bad.json"), JSON.stringify({ ...document, itmes: [] }))
      const bad = yield* dockline(["document", "send", join(path, "bad.json")], customer)
      assert.match(refusalOf(bad), / itmes: is not a field of a document/)
      assert.include(refusalOf(bad), "400 Bad Request, code MALFORMED_DOCUMENT")
    }
  )

  command("token, for other programs", function*() {
    const { port } = yield* TestServer
    const env = { ...environment(port), ...customer }
    const ended = yield* Effect.promise(() => runLine(["token"], { env }))
    assert.deepStrictEqual([ended.code, ended.errors], [0, ""])
    const reply = yield* Effect.promise(() =>
      fetch(`${env.DOCKLINE_URL}/v1/shipments`, {
        headers: { authorization: `Bearer ${ended.data.trimEnd()}` }
      })
    )
    assert.strictEqual(reply.status, 200)
    const whole = yield* Effect.promise(() => runLine(["token", "--json"], { env }))
    assert.hasAllKeys(JSON.parse(whole.data), ["access_token", "token_type", "expires_in"])
    const wrong = yield* dockline(["token"], { ...customer, DOCKLINE_CLIENT_SECRET: "canary" })
    assert.deepStrictEqual([wrong.code, wrong.data], [3, ""])
  })
})
