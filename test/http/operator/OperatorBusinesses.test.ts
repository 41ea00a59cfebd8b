/** D11: businesses, facilities, docks and field maps, over real sockets. */
import { payloadOf } from "@dockline/core/Message"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestOptions } from "../../support/TestServer.ts"
import { layerMemory, refusalOf, TestServer, unique } from "../../support/TestServer.ts"
import { messagesOf, palletEvent, record } from "../facility/Facility.ts"
import { order } from "../Sample.ts"
import { allOf, bodyOf, faultsOf, get, makeBusiness, makeClient, operate } from "./Operator.ts"

layer(layerMemory(), { excludeTestServices: true })(
  "D11 businesses and their places",
  (it) => {
    it.effect("a business is created, read at its Location, and renamed", () =>
      Effect.gen(function*() {
        const { get: read } = yield* TestServer
        const slug = unique("biz")
        const created = yield* operate("POST", "businesses", { slug, name: "Initech" })
        assert.deepStrictEqual(bodyOf(created, 201), { slug, name: "Initech", sandbox: false })
        assert.strictEqual(created.headers.location, `/v1/operator/businesses/${slug}`)
        const found = yield* read(created.headers.location!, { client: "operator" })
        assert.deepStrictEqual(bodyOf(found, 200), { slug, name: "Initech", sandbox: false })
        const renamed = yield* operate("PATCH", `businesses/${slug}`, { name: "Initrode" })
        const initrode = { slug, name: "Initrode", sandbox: false }
        assert.deepStrictEqual(bodyOf(renamed, 200), initrode)
        assert.deepStrictEqual(bodyOf(yield* get(`businesses/${slug}`), 200), initrode)
      }))

    it.effect("a facility and a dock of it are there for documents at once", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const business = yield* makeBusiness
        const facility = yield* operate("POST", `businesses/${business}/facilities`, {
          slug: "north",
          name: "North"
        })
        assert.deepStrictEqual(bodyOf(facility, 201), {
          slug: "north",
          name: "North",
          timeZone: "UTC",
          detentionMinutes: 120
        })
        const place = `businesses/${business}/facilities/north`
        assert.strictEqual(facility.headers.location, `/v1/operator/${place}`)
        assert.deepStrictEqual(bodyOf(yield* get(place), 200), {
          slug: "north",
          name: "North",
          timeZone: "UTC",
          detentionMinutes: 120
        })
        const dock = yield* operate("POST", `${place}/docks`, { slug: "Dock 9/a" })
        assert.deepStrictEqual(bodyOf(dock, 201), { slug: "Dock 9/a" })
        assert.strictEqual(dock.headers.location, `/v1/operator/${place}/docks`)
        assert.deepStrictEqual(bodyOf(yield* operate("PATCH", place, { name: "Far North" }), 200), {
          slug: "north",
          name: "Far North",
          timeZone: "UTC",
          detentionMinutes: 120
        })
        for (const timeZone of ["Mars/Olympus", "", "+02:00", "CET-1CEST", "x".repeat(65)]) {
          const refused = yield* operate("PATCH", place, { timeZone })
          assert.deepStrictEqual(refusalOf(refused), [422, "INVALID_REQUEST"], timeZone)
          assert.deepStrictEqual(Object.keys(faultsOf(refused)), ["timeZone"])
        }
        const { as } = yield* makeClient({
          business,
          facilities: ["north"],
          permissions: ["documents:write"]
        })
        const { shipment } = yield* server.submit(
          order({ business, facility: "north", dockSlug: "Dock 9/a" }),
          as
        )
        assert.deepStrictEqual([shipment.facility.name, shipment.dockSlug], ["Far North", "Dock 9/a"])
      }))

    it.effect("a field map is replaced whole, and the messages from then on follow it", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const business = yield* makeBusiness
        const path = `businesses/${business}/field-map`
        assert.deepStrictEqual(bodyOf(yield* get(path), 200), [])
        const fields = [{ name: "LPN", label: "lpn", list: false }, {
          name: "All",
          label: "sku",
          list: true
        }]
        const set = yield* operate("PUT", path, [{ name: "LPN", label: "lpn" }, fields[1]])
        assert.deepStrictEqual(bodyOf(set, 200), fields)
        assert.deepStrictEqual(bodyOf(yield* get(path), 200), fields)
        const { as } = yield* makeClient({
          business,
          facilities: "*",
          permissions: ["documents:write", "pallets:write"]
        })
        bodyOf(
          yield* operate("POST", `businesses/${business}/facilities/main/docks`, { slug: "D1" }),
          201
        )
        const { shipment } = yield* server.submit(order({ business, facility: "main" }), as)
        const event = palletEvent({
          business,
          facility: "main",
          shipmentId: shipment.id,
          labels: [{ name: "lpn", value: "P-1" }, { name: "sku", value: "a" }, { name: "sku", value: "b" }]
        })
        const { messages } = yield* messagesOf(business, record(event, as))
        assert.containSubset(payloadOf(messages[0]!), { LPN: "P-1", All: ["a", "b"] })
        assert.deepStrictEqual(bodyOf(yield* operate("PUT", path, []), 200), [])
      }))

    it.effect("what is there is not created again: 409", () =>
      Effect.gen(function*() {
        const business = yield* makeBusiness
        const again = { slug: business, name: "Another" }
        assert.deepStrictEqual(refusalOf(yield* operate("POST", "businesses", again)), [
          409,
          "BUSINESS_EXISTS"
        ])
        const path = `businesses/${business}/facilities`
        const facility = { slug: "main", name: "Another" }
        assert.deepStrictEqual(refusalOf(yield* operate("POST", path, facility)), [409, "FACILITY_EXISTS"])
        const docks = `${path}/main/docks`
        bodyOf(yield* operate("POST", docks, { slug: "D1" }), 201)
        assert.deepStrictEqual(refusalOf(yield* operate("POST", docks, { slug: "D1" })), [
          409,
          "DOCK_EXISTS"
        ])
        const names = yield* allOf<{ readonly name: string }>(path, 100)
        assert.deepStrictEqual(names.map(({ name }) => name), ["Main"])
      }))

    const unknown: ReadonlyArray<readonly [method: string, path: string, body: unknown, code: string]> = [
      ["GET", "businesses/nowhere", undefined, "BUSINESS_NOT_FOUND"],
      ["GET", "businesses/No%20slug", undefined, "BUSINESS_NOT_FOUND"],
      ["PATCH", "businesses/nowhere", { name: "A" }, "BUSINESS_NOT_FOUND"],
      ["GET", "businesses/nowhere/field-map", undefined, "BUSINESS_NOT_FOUND"],
      ["PUT", "businesses/nowhere/field-map", [], "BUSINESS_NOT_FOUND"],
      ["GET", "businesses/nowhere/facilities", undefined, "BUSINESS_NOT_FOUND"],
      ["POST", "businesses/nowhere/facilities", { slug: "a", name: "A" }, "BUSINESS_NOT_FOUND"],
      ["GET", "businesses/acme/facilities/nowhere", undefined, "FACILITY_NOT_FOUND"],
      ["PATCH", "businesses/acme/facilities/nowhere", { name: "A" }, "FACILITY_NOT_FOUND"],
      ["GET", "businesses/acme/facilities/nowhere/docks", undefined, "FACILITY_NOT_FOUND"],
      ["POST", "businesses/acme/facilities/nowhere/docks", { slug: "D1" }, "FACILITY_NOT_FOUND"]
    ]
    for (const [method, path, body, code] of unknown) {
      it.effect(`${method} ${path} names nothing: 404`, () =>
        Effect.gen(function*() {
          assert.deepStrictEqual(refusalOf(yield* operate(method, path, body)), [404, code])
        }))
    }

    /** One of each kind; `OperatorInput.test.ts` and `Payload.test.ts` have them all. */
    const bad: ReadonlyArray<
      readonly [what: string, method: string, path: string, body: unknown, status: number, faults: object]
    > = [
      ["nothing in it", "POST", "businesses", {}, 422, { slug: "is required", name: "is required" }],
      ["a field of a wrong type", "PATCH", "businesses/acme", { name: 1 }, 400, {
        name: "must be a string, not a number"
      }],
      ["a reserved name", "PUT", "businesses/acme/field-map", [{ name: "orders", label: "lpn" }], 422, {
        "[0].name": "orders is a field of every message; choose another name"
      }],
      ["an object for a list", "PUT", "businesses/acme/field-map", {}, 400, {
        "": "must be a list, not an object"
      }]
    ]
    for (const [what, method, path, body, status, faults] of bad) {
      it.effect(`${status} for ${what}, naming it: ${method} ${path}`, () =>
        Effect.gen(function*() {
          const before = yield* get("businesses/acme")
          const reply = yield* operate(method, path, body)
          const code = status === 400 ? "MALFORMED_REQUEST" : "INVALID_REQUEST"
          assert.deepStrictEqual([...refusalOf(reply), faultsOf(reply)], [status, code, faults])
          assert.strictEqual((yield* get("businesses/acme")).text, before.text)
        }))
    }

    const forms: ReadonlyArray<
      readonly [what: string, body: string | undefined, RequestOptions, status: number, code: string]
    > = [
      ["no body", undefined, {}, 415, "UNSUPPORTED_MEDIA_TYPE"],
      ["XML", "<a/>", { headers: { "content-type": "application/xml" } }, 415, "UNSUPPORTED_MEDIA_TYPE"],
      ["no JSON", "{\"slug\":", {}, 400, "MALFORMED_REQUEST"],
      ["a key twice", "{\"slug\":\"a\",\"slug\":\"b\",\"name\":\"A\"}", {}, 400, "MALFORMED_REQUEST"],
      [
        "an Idempotency-Key",
        "{\"slug\":\"a\",\"name\":\"A\"}",
        {
          headers: { "idempotency-key": "k" }
        },
        400,
        "MALFORMED_REQUEST"
      ]
    ]
    for (const [what, body, options, status, code] of forms) {
      it.effect(`${status} ${code} for ${what}`, () =>
        Effect.gen(function*() {
          const reply = yield* operate("POST", "businesses", body, options)
          assert.deepStrictEqual(refusalOf(reply), [status, code])
          if (what === "an Idempotency-Key") assert.hasAllKeys(faultsOf(reply), ["Idempotency-Key"])
        }))
    }

    it.effect("misspelt and bad parameters are named: 400", () =>
      Effect.gen(function*() {
        for (
          const [path, faults] of [
            ["businesses?limit=0", ["limit"]],
            ["businesses?limit=101&befor=x", ["limit", "befor"]],
            ["businesses/acme?limit=1", ["limit"]],
            ["businesses/acme/field-map?after=1", ["after"]],
            ["businesses/acme/facilities?limit=x", ["limit"]],
            ["businesses/acme/facilities/east/docks?x=1", ["x"]]
          ] as const
        ) {
          const reply = yield* get(path)
          assert.deepStrictEqual(refusalOf(reply), [400, "INVALID_PARAMETER"], path)
          assert.hasAllKeys(faultsOf(reply), faults, path)
        }
        const reply = yield* operate("POST", "businesses?dryRun=true", { slug: "a", name: "A" })
        assert.deepStrictEqual([refusalOf(reply), faultsOf(reply)], [[400, "INVALID_PARAMETER"], {
          dryRun: "is not a parameter of this request; check its spelling"
        }])
      }))
  }
)
