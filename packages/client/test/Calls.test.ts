/** Calls against a real service on sockets: what they answer, how they are repeated, and what they reject with. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import * as Client from "../src/Client.ts"
import * as Service from "./Service.ts"
import { answer, loading, order, overloaded, refusal } from "./Service.ts"

let service: Service.Service

beforeEach(async () => {
  service = await Service.start()
})

afterEach(() => service.stop())

const isWrite = ({ path }: Service.Call): boolean => path.startsWith("/v1/documents")

/** The keys of the documents that have been sent. */
const keys = (): ReadonlyArray<unknown> =>
  service.calls.filter(isWrite).map(({ headers }) => headers["idempotency-key"])

/** Gives the first requests that write these faults, one each. */
const faults = (...failures: ReadonlyArray<() => Service.Fault>): void => {
  const queue = [...failures]
  service.fault = (call) => (isWrite(call) ? queue.shift()?.() : undefined)
}

describe("documents", () => {
  it("submits an object and gives what was created", async () => {
    const { created, shipment } = await service.client().submit(order("SO-1", "LPN-1"))
    assert.deepStrictEqual(created.map(({ type }) => type), ["SHIPMENT", "ORDER", "ORDER_ITEM"])
    assert.strictEqual(shipment.shipmentNumber, "SO-1")
  })

  it("submits a text in XML", async () => {
    const { created } = await service.client().submit(
      "<Document><business>acme</business><facility>east</facility><direction>OUTBOUND</direction>" +
        "<orderNumber>SO-1</orderNumber></Document>"
    )
    assert.deepStrictEqual(created.map(({ reference }) => reference), ["SO-1", "SO-1"])
  })

  it("D5.3 writes nothing in a dry run", async () => {
    const client = service.client()
    const { created } = await client.submit(order("SO-1"), { dryRun: true })
    assert.deepStrictEqual(created.map(({ id }) => id), ["", ""])
    assert.deepStrictEqual((await client.shipments()).items, [])
  })

  it("D5.2 sends one key with all attempts: a lost answer is given again, and the document done once", async () => {
    faults(() => "lost", () => "lost")
    const client = service.client()
    const { created } = await client.submit(order("SO-1", "LPN-1"))
    assert.lengthOf(created, 3)
    assert.lengthOf(keys(), 3)
    assert.lengthOf(new Set(keys()), 1)
    assert.match(String(keys()[0]), /^[0-9a-f]{32}$/)
    const { items } = await client.documents()
    assert.deepStrictEqual(items.map(({ outcome }) => outcome), ["CREATED"])
  })

  it("takes another key for each call, and that of the user for his", async () => {
    const client = service.client()
    await client.submit(order("SO-1"))
    await client.submit(order("SO-1"))
    await client.submit(order("SO-1"), { idempotencyKey: "SO-1/3" })
    assert.lengthOf(new Set(keys()), 3)
    assert.strictEqual(keys()[2], "SO-1/3")
  })

  it("sends the correlation id", async () => {
    const client = service.client()
    await client.submit(order("SO-1"), { correlationId: "from-the-wms" })
    const { items } = await client.documents({ correlationId: "from-the-wms" })
    assert.lengthOf(items, 1)
  })
})

describe("reads and steps", () => {
  it("reads what there is, page by page, and moves a shipment on", async () => {
    const client = service.client()
    const tower = service.tower()
    for (const number of ["SO-1", "SO-2", "SO-3"]) await client.submit(order(number, `LPN-${number}`))
    const first = await client.shipments({ business: "acme", facility: undefined, limit: 2 })
    const last = await client.shipments({ business: "acme", limit: 2, after: first.next })
    assert.deepStrictEqual(
      [...first.items, ...last.items].map(({ shipmentNumber }) => shipmentNumber),
      ["SO-1", "SO-2", "SO-3"]
    )
    assert.isNull(last.next)
    const [shipment, other] = first.items
    const { id } = shipment!

    const outcome = await tower.recordPallet(loading("evt-1", "LPN-SO-1"))
    assert.deepStrictEqual(await tower.recordPallet(loading("evt-1", "LPN-SO-1")), outcome)
    await tower.recordPallet({ ...loading("evt-2", "LPN-9"), shipmentId: id })
    assert.strictEqual((await client.shipment(id)).status, "ARRIVED")
    assert.deepStrictEqual((await client.shipmentPallets(String(id))).items.map(({ lpn }) => lpn), [
      "LPN-SO-1",
      "LPN-9"
    ])
    assert.strictEqual((await client.pallet(id, outcome.servicePalletId)).state, "LOADED")

    const third = last.items[0]!.id
    assert.strictEqual((await tower.link(other!.id, String(third))).id, other!.id)
    assert.strictEqual((await tower.arrive(third, { dockSlug: "D2" })).dockSlug, "D2")
    assert.strictEqual((await tower.depart(id)).status, "DEPARTED")
    await client.submit(order("SO-4"))
    const { items: [fourth] } = await client.shipments({ shipmentNumber: "SO-4" })
    assert.strictEqual((await tower.cancel(fourth!.id)).status, "CANCELLED")

    const { items: [record] } = await client.documents({ orderNumber: "SO-1" })
    assert.deepStrictEqual(await client.document(record!.id), record)
    const { items: [arrival] } = await client.messages({ business: "acme" })
    assert.strictEqual(arrival?.messageType, "SHIPMENT_ARRIVED")
    const names = service.calls.map(({ path }) => path)
    assert.include(names, "/v1/shipments?business=acme&limit=2")
  })
})

describe("errors", () => {
  it("D4.2 have the code, the place of each fault, the remedy and the correlation id", async () => {
    const document: Client.DocumentJson = {
      ...order("SO-1"),
      itmes: [],
      // @ts-expect-error: the compiler refuses it too
      expectedQuantity: "5"
    }
    const error = await refusal(service.client().submit(document, { correlationId: "mine" }))
    assert.strictEqual(error.name, "DocklineError")
    assert.strictEqual(error.code, "MALFORMED_DOCUMENT")
    assert.strictEqual(error.status, 400)
    assert.strictEqual(error.message, "The document cannot be read: 2 errors; see errors")
    assert.deepStrictEqual(error.errors.map(({ path }) => path).toSorted(), ["expectedQuantity", "itmes"])
    assert.strictEqual(error.field, error.errors[0]!.path)
    assert.strictEqual(error.remedy, "Correct the fields in `errors`.")
    assert.strictEqual(error.correlationId, "mine")
    assert.strictEqual(error.idempotencyKey, keys()[0])
    assert.lengthOf(keys(), 1)
  })

  it("name what the client may not do, and what is not there", async () => {
    const forbidden = await refusal(service.client().recordPallet(loading("evt-1", "LPN-1")))
    assert.deepStrictEqual([forbidden.status, forbidden.code], [403, "FORBIDDEN"])
    const missing = await refusal(service.client().shipment(99))
    assert.deepStrictEqual([missing.status, missing.code, missing.field], [404, "SHIPMENT_NOT_FOUND", ""])
    assert.isUndefined(missing.idempotencyKey)
    assert.notStrictEqual(missing.correlationId, "")
  })

  it("say that the service cannot be reached, and why", async () => {
    await service.away()
    const error = await refusal(service.client({ retryMillis: 0 }).submit(order("SO-1")))
    assert.strictEqual(error.code, "UNREACHABLE")
    assert.strictEqual(error.status, 0)
    assert.include(error.message, `Cannot reach ${service.url}: `)
    assert.include(error.message, "ECONNREFUSED")
    assert.include(error.remedy, "`url`")
    assert.match(String(error.idempotencyKey), /^[0-9a-f]{32}$/)
  })

  it("say in a page of another origin that the browser may withhold the answer", async () => {
    await service.away()
    const messageAt = async (origin: string): Promise<string> => {
      vi.stubGlobal("location", { origin })
      try {
        return (await refusal(service.client({ retryMillis: 0 }).submit(order("SO-1")))).message
      } finally {
        vi.unstubAllGlobals()
      }
    }
    assert.include(
      await messageAt("https://pages.example.com"),
      "; a browser withholds its answers from https://pages.example.com unless they permit that origin (CORS)"
    )
    assert.notInclude(await messageAt(service.url), "CORS")
  })

  it("say that no answer came in time", async () => {
    const client = service.client({
      retryMillis: 0,
      timeoutMillis: 50,
      fetch: (_, { signal }) =>
        new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)))
    })
    const error = await refusal(client.shipments())
    assert.strictEqual(error.message, `Cannot reach ${service.url}: no answer within 0.05 s`)
  })

  it("say that something else answers", async () => {
    for (
      const [response, message] of [
        [answer(200, "<html>"), "answers 200, but not as a Dockline service does"],
        [answer(404, "<html>"), "answers 404, but not as a Dockline service does"]
      ] as const
    ) {
      service.fault = () => response
      const error = await refusal(service.client().shipments())
      assert.strictEqual(error.code, "UNEXPECTED_ANSWER")
      assert.strictEqual(error.message, `${service.url} ${message}`)
    }
  })

  // @threat secrets.4
  it("take a redirect for no answer, and send no token after it", async () => {
    service.fault = ({ path }) =>
      path === "/v1/shipments" ? answer(307, "", { location: `${service.url}/elsewhere` }) : undefined
    const error = await refusal(service.client().shipments())
    assert.strictEqual(error.code, "UNEXPECTED_ANSWER")
    assert.strictEqual(error.message, `${service.url} redirects to ${service.url}/elsewhere`)
    assert.notInclude(service.calls.map(({ path }) => path), "/elsewhere")
  })

  it("refuse options without an address, or without who calls", () => {
    assert.throws(() => Client.make({ url: "localhost", token: "t" }), TypeError, "url must be an address")
    assert.throws(() => Client.make({ url: service.url, clientId: "acme-client" }), TypeError, "clientSecret")
  })
})

describe("repetition", () => {
  it("waits as long as Retry-After says, of 503 and of 429, and tells of it", async () => {
    faults(() => overloaded(503, "1"), () => overloaded(429, new Date(Date.now() + 2000).toUTCString()))
    const waits: Array<readonly [code: string, seconds: number]> = []
    const began = Date.now()
    const client = service.client({ onRetry: ({ code }, millis) => waits.push([code, millis / 1000]) })
    await client.submit(order("SO-1"))
    assert.deepStrictEqual(waits.map(([code]) => code), ["OVERLOADED", "RATE_LIMITED"])
    assert.strictEqual(waits[0]![1], 1)
    assert.isAtLeast(Date.now() - began, 999)
    assert.lengthOf(new Set(keys()), 1)
  })

  it("waits longer each time without Retry-After, and ends within its bound", async () => {
    service.fault = (call) => (isWrite(call) ? answer(502, "Bad Gateway") : undefined)
    const waits: Array<number> = []
    let latest = 0
    const client = service.client({
      retryMillis: 3000,
      onRetry: (_, millis) => {
        waits.push(millis)
        latest = Date.now() + millis
      }
    })
    await client.token()
    const began = Date.now()
    const error = await refusal(client.submit(order("SO-1")))
    assert.isAtMost(latest, began + 3000 + 50)
    assert.deepStrictEqual([error.code, error.status], ["UNEXPECTED_ANSWER", 502])
    assert.isAtLeast(waits.length, 2)
    waits.forEach((millis, index) => {
      assert.isAtLeast(millis, 125 * 2 ** index)
      assert.isAtMost(millis, 250 * 2 ** index)
    })
  })

  it("does not wait longer than its bound: the error says after how many seconds to try again", async () => {
    await service.stop()
    service = await Service.start({ rateLimits: { perMinute: 2 } })
    const client = service.client()
    await client.shipments()
    await client.shipments()
    const error = await refusal(service.client({ retryMillis: 100 }).shipments())
    assert.strictEqual(error.code, "RATE_LIMITED")
    assert.isAtLeast(error.retryAfterSeconds!, 1)
  })

  it("waits for the answer of the first request with the key, and repeats no refusal", async () => {
    faults(() => answer(409, { detail: "It runs", code: "IDEMPOTENCY_KEY_IN_USE" }))
    await service.client().submit(order("SO-1"))
    assert.lengthOf(keys(), 2)
    const error = await refusal(
      service.client().submit({ ...order("SO-2"), business: "globex" }, { idempotencyKey: "k" })
    )
    assert.strictEqual(error.code, "BUSINESS_NOT_FOUND")
    assert.lengthOf(keys(), 3)
  })

  it("goes on when the service comes back", async () => {
    await service.away()
    let returning: Promise<void> | undefined
    const client = service.client({ onRetry: () => void (returning ??= service.back()) })
    assert.lengthOf((await client.submit(order("SO-1"))).created, 2)
    await returning
  })
})

describe("ends", () => {
  it("rejects with the reason of the signal, while it waits too", async () => {
    service.fault = () => overloaded(503, "30")
    const stop = new AbortController()
    const client = service.client({ onRetry: () => stop.abort(new Error("enough")) })
    const ended: unknown = await client.shipments({}, { signal: stop.signal }).catch((error: unknown) =>
      error
    )
    assert.strictEqual((ended as Error).message, "enough")
    assert.strictEqual(
      await client.shipments({}, { signal: AbortSignal.abort("at once") }).catch((error: unknown) => error),
      "at once"
    )
  })

  it("rejects calls with CLOSED once it is closed, those that run too", async () => {
    service.fault = () => overloaded(503, "30")
    const client = service.client({ onRetry: () => client.close() })
    assert.strictEqual((await refusal(client.shipments())).code, "CLOSED")
    service.fault = () => undefined
    assert.strictEqual((await refusal(client.shipments())).code, "CLOSED")
  })
})
