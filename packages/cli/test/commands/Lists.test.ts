/**
 * Each list: `--json` is the body of the answer, `--csv` writes what the service answers to `Accept: text/csv`, and the table fits a
 * terminal.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CliOutput } from "effect/cli"
import { label, palletEvent, post, record, scheduled } from "../../../../test/http/facility/Facility.ts"
import { makeEndpoint, operate, vault } from "../../../../test/http/operator/Operator.ts"
import { layerMemory, TestServer, unique } from "../../../../test/support/TestServer.ts"
import { commands } from "../../src/CommandLine.ts"
import { customer, dockline, environment } from "../Operating.ts"
import { runLine } from "../Running.ts"

/** What there is to list. */
interface Ids {
  readonly id: number
  readonly lpn: string
  readonly endpointId: string
}

/** The arguments of each list after its name, the path of the API, and who asks. */
const lists: Readonly<
  Record<string, (ids: Ids) => readonly [args: string, path: string, by: "acme-client" | "operator"]>
> = {
  "shipment list": () => [
    "--business acme --status ARRIVED --discrepancies",
    "shipments?business=acme&status=ARRIVED&discrepancies=true",
    "acme-client"
  ],
  "shipment items": ({ id }) => [
    `${id} --find lpn --unseen`,
    `shipments/${id}/items?find=lpn&unseen=true`,
    "acme-client"
  ],
  "shipment pallets": ({ id }) => [`${id}`, `shipments/${id}/pallets`, "acme-client"],
  "shipment discrepancies": ({ id }) => [`${id}`, `shipments/${id}/discrepancies`, "acme-client"],
  "shipment exceptions": ({ id }) => [`${id}`, `shipments/${id}/exceptions`, "acme-client"],
  "order list": () => ["--business acme", "orders?business=acme", "acme-client"],
  "search": ({ lpn }) => [lpn, `search?text=${lpn}`, "acme-client"],
  "day show": () => ["acme east", "day?business=acme&facility=east", "acme-client"],
  "day trend": () => ["acme east", "day/trend?business=acme&facility=east", "acme-client"],
  "day shipments": () => ["acme east", "day/shipments?business=acme&facility=east", "acme-client"],
  "trace": ({ lpn }) => [`--lpn ${lpn}`, `trace?lpn=${lpn}`, "acme-client"],
  "pallet find": ({ lpn }) => [lpn, `pallets?lpn=${lpn}`, "acme-client"],
  "exception list": () => [
    "--business acme --facility east --status OPEN --priority LOW",
    "exceptions?business=acme&facility=east&status=OPEN&priority=LOW",
    "acme-client"
  ],
  "document list": () => ["--business acme", "documents?business=acme", "acme-client"],
  "edi files": () => [
    "--business acme --direction IN",
    "edi/files?business=acme&direction=IN",
    "acme-client"
  ],
  "edi outbox": () => ["acme", "edi/outbox?business=acme", "acme-client"],
  "edi-partner list": () => ["acme", "operator/businesses/acme/edi-partners", "operator"],
  "alert notices": () => ["acme night", "operator/businesses/acme/alert-rules/night/notices", "operator"],
  "alert list": () => ["acme", "operator/businesses/acme/alert-rules", "operator"],
  "message list": () => [
    "acme --facility east --type PALLET_EVENT",
    "messages?business=acme&facility=east&messageType=PALLET_EVENT&afterId=0",
    "acme-client"
  ],
  "business list": () => ["", "operator/businesses", "operator"],
  "facility list": () => ["acme", "operator/businesses/acme/facilities", "operator"],
  "dock list": () => ["acme east", "operator/businesses/acme/facilities/east/docks", "operator"],
  "client list": () => ["", "operator/clients", "operator"],
  "person list": () => ["", "operator/people", "operator"],
  "sku list": () => [
    "--business acme --facility east",
    "skus?business=acme&facility=east",
    "acme-client"
  ],
  "packing-list mappings": () => [
    "--business acme",
    "packing-lists/mappings?business=acme",
    "acme-client"
  ],
  "webhook list": () => ["", "operator/webhook-endpoints", "operator"],
  "delivery list": ({ endpointId }) => [
    endpointId,
    `operator/webhook-endpoints/${endpointId}/deliveries`,
    "operator"
  ],
  "audit list": () => ["--business acme", "operator/audit?business=acme", "operator"]
}

layer(layerMemory({ vault }), { excludeTestServices: true })("dockline … --csv", (it) => {
  it.effect("is there for each list", () =>
    Effect.promise(async () => {
      const listing: Array<string> = []
      for (const noun of commands) {
        const verbs = noun.subcommands.flatMap((group) => group.commands)
        for (const words of verbs.length === 0 ? [[noun.name]] : verbs.map(({ name }) => [noun.name, name])) {
          const { data } = await runLine([...words, "--help"])
          if (data.includes("--after string") || data.includes("--csv")) {
            assert.include(data, "Write the list as CSV, for spreadsheets", words.join(" "))
            listing.push(words.join(" "))
          }
        }
      }
      assert.deepStrictEqual(listing.sort(), Object.keys(lists).sort())
    }))

  for (const [name, of] of Object.entries(lists)) {
    it.effect(`${name} writes what the service does, and its table fits 80 columns`, () =>
      Effect.gen(function*() {
        const lpn = unique("L")
        const { id } = yield* scheduled({}, lpn, unique("SHORT"))
        yield* record(palletEvent({ shipmentId: id, labels: [label("lpn", lpn)] }))
        yield* post(`/v1/shipments/${id}/exceptions`, {
          kind: "OTHER",
          priority: "LOW",
          description: "=cmd|'/c calc'!A1, \"wet\""
        })
        const { id: endpointId } = yield* makeEndpoint("acme", { enabled: false })
        const rule = "businesses/acme/alert-rules/night"
        yield* operate("PUT", rule, {
          facility: "east",
          kinds: ["DETENTION"],
          channel: "EMAIL",
          to: ["shift@example.com"]
        })
        yield* operate("POST", `${rule}/test`)
        const [args, path, by] = of({ id, lpn, endpointId })
        const { get, request } = yield* TestServer
        yield* request("POST", "/v1/skus", {
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            business: "acme",
            facility: "east",
            skus: [{ id: "SKU-1", description: "=1, \"wet\"" }]
          })
        })
        const expected = yield* get(`/v1/${path}`, { client: by, headers: { accept: "text/csv" } })
        assert.strictEqual(expected.status, 200, expected.text)
        assert.match(expected.headers["content-type"]!, /^text\/csv/)
        const words = [...name.split(" "), ...args.split(" ").filter((word) => word !== ""), "--csv"]
        const { code, data, errors } = yield* dockline(words, by === "operator" ? {} : customer)
        assert.deepStrictEqual([code, errors], [0, ""], words.join(" "))
        assert.strictEqual(data, expected.text)
        const { body } = yield* get(`/v1/${path}`, { client: by })
        const json = yield* dockline([...words.slice(0, -1), "--json"], by === "operator" ? {} : customer)
        const { items } = body as { readonly items: ReadonlyArray<unknown> }
        // The command reads all pages, and the answer is the first of them.
        assert.deepStrictEqual(JSON.parse(json.data).items.slice(0, items.length), items)
        const { port } = yield* TestServer
        const env = { ...environment(port), ...(by === "operator" ? {} : customer) }
        const table = yield* Effect.promise(() => runLine(words.slice(0, -1), { env, columns: 80 }))
        assert.strictEqual(table.code, 0, table.errors)
        for (const line of table.data.trimEnd().split("\n")) {
          assert.isAtMost(CliOutput.displayWidth(line), 80, line)
        }
      }))
  }
})
