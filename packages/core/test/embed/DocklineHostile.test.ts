/** Dockline for plain asynchronous code, given what no wire can carry: each call answers or rejects. */
import { assert, describe, it } from "vitest"
import * as Dockline from "../../src/embed/Dockline.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { acme, eventOf, everything, open, order, refusal, rejection } from "./DocklineWorld.ts"

const cyclic = (): object => {
  const value: Record<string, unknown> = {}
  value["x"] = value
  return value
}

const cyclicList = (): unknown => {
  const list: Array<unknown> = []
  list.push(list)
  return list
}

const nest = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

const throwError = (): never => {
  throw new Error("thrown by the input")
}

const throwing = (target: object, ...traps: ReadonlyArray<keyof ProxyHandler<object>>): object =>
  new Proxy(target, Object.fromEntries(traps.map((trap) => [trap, throwError])))

const revokedProxy = (target: object): object => {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const endless = (): object =>
  new Proxy({}, {
    get: (_, name) => (typeof name === "symbol" ? undefined : endless()),
    ownKeys: () => ["items", "orders", "labels", "x", "y"],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: endless() })
  })

/** A list that says that it is longer than any memory, and has an entry wherever one looks. */
const endlessList = (entry: unknown): object =>
  new Proxy([], {
    get: (_, name) => (name === "length" ? Number.MAX_VALUE : typeof name === "symbol" ? undefined : entry)
  })

class Parcel {
  readonly weight = 1
}

const hostile: Readonly<Record<string, () => unknown>> = {
  "a cyclic object": cyclic,
  "a cyclic list": cyclicList,
  "200,000 objects, each in the other": () => nest(200_000, (x) => ({ x })),
  "200,000 lists, each in the other": () => nest(200_000, (x) => [x]),
  "objects shared by 60 doublings": () => nest(60, (x) => ({ x, y: x })),
  "lists shared by 60 doublings": () => nest(60, (x) => [x, x]),
  "an object without end": endless,
  "a list without end": () => endlessList("x"),
  "a list of four thousand million holes": () => Object.assign([], { length: 2 ** 32 - 1 }),
  "a getter that throws": () => Object.defineProperty({}, "business", { get: throwError, enumerable: true }),
  "a proxy that throws its keys": () => throwing({}, "ownKeys"),
  "a proxy that throws its descriptors": () => throwing({ business: "acme" }, "getOwnPropertyDescriptor"),
  "a proxy that throws its members": () => throwing({ business: "acme", slug: "acme" }, "get"),
  "a list that throws": () => throwing(["x"], "get", "ownKeys"),
  "a revoked proxy": () => revokedProxy({}),
  "a revoked list": () => revokedProxy([]),
  "an object whose text throws": () => ({
    toString: throwError,
    valueOf: throwError,
    [Symbol.toPrimitive]: throwError
  }),
  "an object without a prototype": () => Object.create(null),
  "a symbol": () => Symbol("x"),
  "a big integer": () => 2n ** 70n,
  "a function": () => throwError,
  "a date": () => new Date(0),
  "an invalid date": () => new Date(Number.NaN),
  "a map": () => new Map([["business", "acme"]]),
  "a text object": () => new String("acme"),
  "bytes": () => new Uint8Array(1_000_000),
  "an instance of a class": () => new Parcel(),
  "NaN": () => Number.NaN,
  "null": () => null
}

const cases = Object.entries(hostile)

interface Refusal {
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly detail: string }>
}

type Call = (
  dockline: Dockline.Dockline,
  input: never
) => Promise<Dockline.Answer<unknown, Refusal>>

const dockline = open()

/** What a call is refused with. It must not throw, its promise must not reject, and nothing of a getter is shown. */
const refusalOf = async (call: Call, input: unknown): Promise<Refusal> => {
  const promise = call(await dockline, input as never)
  assert.instanceOf(promise, Promise)
  const { code, errors, message } = refusal(await promise)
  assert.notInclude(message + JSON.stringify(errors), "thrown by the input")
  return { code, message, ...(errors === undefined ? {} : { errors }) }
}

const follow: Call = async (dockline, input) => {
  const error = await rejection(dockline.follow(input, everything).next())
  assert(Dockline.isFollowError(error), String(error))
  return { ok: false, error }
}

/** The methods that read something, what each takes, and which members are to be replaced in it. */
const readers: ReadonlyArray<
  readonly [name: string, call: Call, good: object, members: ReadonlyArray<string>]
> = [
  [
    "submit",
    (dockline, input) => dockline.submit(input, everything),
    order("O-1"),
    ["business", "direction", "expectedArrivalAt", "expectedQuantity", "additionalFields", "items", "orders"]
  ],
  [
    "recordPallet",
    (dockline, input) => dockline.recordPallet(input, everything),
    eventOf("e1"),
    ["eventId", "occurredAt", "shipmentId", "labels"]
  ],
  [
    "arrive",
    (dockline, input) => dockline.arrive(1, input, everything),
    {},
    ["occurredAt", "dockSlug"]
  ],
  [
    "shipments",
    (dockline, input) => dockline.shipments(input, everything),
    {},
    ["business", "status", "limit", "after"]
  ],
  [
    "messages",
    (dockline, input) => dockline.messages(input, everything),
    { business: "acme" },
    ["business", "types", "afterId", "since", "limit"]
  ],
  ["follow", follow, { business: "acme" }, ["business", "facility", "types", "afterId"]],
  ["places", (dockline, input) => dockline.places(input), [], []],
  [
    "places, of a business",
    (dockline, input) => dockline.places([input]),
    acme,
    ["slug", "fieldMap", "facilities"]
  ]
]

/** A step or a query may say nothing; an object without members says it. */
const mayBeEmpty = new Set(["arrive", "shipments"])

describe.each(readers)("%s", (name, call, good, members) => {
  const wholes = cases.filter(([what]) => !(mayBeEmpty.has(name) && what === "an object without a prototype"))

  it.each(wholes)("refuses %s", async (_, make) => {
    const { code, errors } = await refusalOf(call, make())
    assert.match(code, /^(MALFORMED|INVALID)_(DOCUMENT|REQUEST)$/)
    assert.isNotEmpty(errors)
  })

  // As a member, null is absent (D2.3).
  const inside = cases.filter(([what]) => what !== "null")
  const places = Array.isArray(good) ? [] : [...members, "unknown"]

  it.each(places.flatMap((member) => inside.map(([what, make]) => [member, what, make] as const)))(
    "names %s where that is %s",
    async (member, _, make) => {
      const { code, errors = [] } = await refusalOf(call, { ...good, [member]: make() })
      if (code === "TOO_MANY_ITEMS") return
      assert.match(code, /^(MALFORMED|INVALID)_(DOCUMENT|REQUEST)$/)
      assert(errors.some(({ path }) => path.includes(member)), JSON.stringify(errors.slice(0, 5)))
    }
  )
})

describe("what refers back to what holds it", () => {
  it("is called cyclic", async () => {
    const document: Record<string, unknown> = order("O-1")
    document["orders"] = [document]
    document["carrier"] = document
    document["more"] = document
    const { errors = [] } = await refusalOf((dockline, input) => dockline.submit(input, everything), document)
    const cyclic = errors.filter(({ detail }) => detail.startsWith("is cyclic")).map(({ path }) => path)
    assert.sameMembers(cyclic, ["orders[0]", "carrier", "more"])
  })
})

describe("the id of a shipment", () => {
  const calls: ReadonlyArray<readonly [name: string, call: Call]> = [
    ["shipment", (dockline, id) => dockline.shipment(id, everything)],
    ["link", (dockline, id) => dockline.link(id, { linkedShipmentId: 1 }, everything)]
  ]

  it.each(calls.flatMap(([name, call]) => cases.map(([what, make]) => [name, what, call, make] as const)))(
    "of %s names no shipment when it is %s",
    async (_, __, call, make) => {
      assert.strictEqual((await refusalOf(call, make())).code, "SHIPMENT_NOT_FOUND")
    }
  )
})

/** Methods of each kind with their principal and options, as a program in plain JavaScript may give them: one boundary reads both. */
const methods: ReadonlyArray<
  readonly [
    name: string,
    call: (dockline: Dockline.Dockline, principal: never, options?: never) => Promise<unknown>
  ]
> = [
  ["submit", (dockline, principal, options) => dockline.submit(order("O-1"), principal, options)],
  ["shipments", (dockline, principal, options) => dockline.shipments({}, principal, options)],
  [
    "follow",
    (dockline, principal, options) => dockline.follow({ business: "acme" }, principal, options).next()
  ]
]

/** What a call of a program that is wrong rejects with. It must not throw. */
const misuse = async (call: (dockline: Dockline.Dockline) => Promise<unknown>): Promise<string> => {
  const error = await rejection(call(await dockline))
  assert.instanceOf(error, TypeError)
  return (error as TypeError).message
}

describe.each(methods)("the principal of %s", (_, call) => {
  it.each([...cases, ["absent", () => undefined] as const])("is refused when it is %s", async (_, make) => {
    assert.include(await misuse((dockline) => call(dockline, make() as never)), "principal")
  })

  it.each(cases)("is refused when its grants are %s", async (_, make) => {
    const message = await misuse((dockline) => call(dockline, { clientId: "wms", grants: make() } as never))
    assert.include(message, "principal.grants")
  })

  it("is refused without grants, and with a permission that is none", async () => {
    assert.include(
      await misuse((dockline) => call(dockline, { clientId: "wms" } as never)),
      "principal.grants is required"
    )
    const grants = [{ business: "acme", facilities: "*", permissions: ["documents"] }]
    assert.include(
      await misuse((dockline) => call(dockline, { clientId: "wms", grants } as never)),
      "principal.grants[0].permissions[0] must be one of documents:write"
    )
  })
})

describe.each([
  ...methods,
  ["places", (dockline, _, options) => dockline.places([acme], options)] as (typeof methods)[number],
  ["ready", (dockline, _, options) => dockline.ready(options)] as (typeof methods)[number]
])("the options of %s", (_, call) => {
  const wrong = cases.filter(([what]) => what !== "an object without a prototype")

  it.each(wrong)("are refused when they are %s", async (_, make) => {
    assert.include(
      await misuse((dockline) => call(dockline, everything as never, make() as never)),
      "options"
    )
  })

  it("are refused with a name that is unknown, and a signal that is none", async () => {
    assert.include(
      await misuse((dockline) => call(dockline, everything as never, { dryrun: true } as never)),
      "options.dryrun is not an option"
    )
    assert.include(
      await misuse((dockline) => call(dockline, everything as never, { signal: "SIGINT" } as never)),
      "options.signal must be an AbortSignal"
    )
  })
})

describe("open", () => {
  const causeOf = async (options: unknown): Promise<string> => {
    const error = await rejection(Dockline.open(options as Dockline.Options))
    assert.instanceOf(error, Dockline.DocklineNotOpened)
    assert.instanceOf(error.cause, TypeError)
    return error.message
  }

  it.each(
    [
      ["no options", undefined, "options must be an object"],
      ["null", null, "options must be an object"],
      ["no storage", {}, "options.storage must be a layer"],
      ["a storage that is undefined", { storage: undefined }, "options.storage must be a layer"],
      ["a storage that is none", { storage: Memory }, "options.storage must be a layer"],
      ["a limit in text", { storage: Memory.layer, itemLimit: "5" }, "options.itemLimit must be"],
      ["a limit of nothing", { storage: Memory.layer, messageLimit: 0 }, "options.messageLimit must be"],
      ["a misspelt name", { storage: Memory.layer, itemlimit: 5 }, "options.itemlimit is not an option"],
      ["a clock that is none", { storage: Memory.layer, clock: {} }, "options.clock must be"],
      [
        "words that are none",
        { storage: Memory.layer, vocabulary: { quantityUnits: "BOX" } },
        "options.vocabulary"
      ],
      ["strategies that are none", { storage: Memory.layer, strategies: { MINE: {} } }, "options.strategies"]
    ] as const
  )("is refused with %s", async (_, options, expected) => {
    assert.include(await causeOf(options), expected)
  })
})
