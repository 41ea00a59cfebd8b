/** Following what goes on: bars at a terminal, lines elsewhere, through failures that pass, and to their ends. */
import { CliOutput } from "effect/cli"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as ShipmentCommands from "../src/commands/ShipmentCommands.ts"
import { picture } from "../src/commands/ShipmentCommands.ts"
import * as Child from "./Child.ts"
import * as FakeService from "./FakeService.ts"
import { runLine } from "./Running.ts"
import type { RunInput } from "./Running.ts"
import { env } from "./Showing.ts"

const progress = (expected: number, passCount: number, unexpected = 0) => ({
  expectedPallets: expected,
  passedPallets: passCount + unexpected,
  missingPallets: expected - passCount,
  unexpectedPallets: unexpected
})

const shipment = (fields: object = {}) => ({
  id: 1,
  shipmentNumber: "SO-1001",
  status: "ARRIVED",
  direction: "OUTBOUND",
  business: { slug: "acme", name: "Acme" },
  facility: { slug: "east", name: "East" },
  expectedArrivalAt: "",
  scheduledAt: "2026-11-20T17:00:00.000Z",
  dockId: "1",
  dockSlug: "D1",
  trailerNumber: "",
  carrier: "",
  additionalFields: [],
  statusEvents: [],
  progress: progress(4, 0),
  version: 1,
  orders: [],
  ...fields
})

const departed = shipment({ status: "DEPARTED", progress: progress(4, 4, 1) })

const away = FakeService.problem(503, { title: "Service Unavailable", detail: "the database is away" })

/** Answers one after another; the last one from then on. */
const inTurn = (answers: ReadonlyArray<FakeService.Handler>): FakeService.Handler => {
  let count = 0
  return (request, response) => answers[Math.min(count++, answers.length - 1)]!(request, response)
}

const watch = async (
  answers: ReadonlyArray<FakeService.Handler>,
  input: RunInput = {},
  ...more: ReadonlyArray<string>
) => {
  await using service = await FakeService.serve(inTurn(answers))
  const ran = await runLine(["shipment", "watch", "1", "--interval", "0.1", ...more], {
    ...input,
    env: env(service.url)
  })
  return { ...ran, asked: service.requests.length }
}

describe("shipment watch", () => {
  const changes = [
    FakeService.json(shipment()),
    FakeService.json(shipment()),
    FakeService.json(shipment({ progress: progress(4, 3) })),
    FakeService.json(departed)
  ]

  it("writes a line for each change where there is no terminal, and ends with the departure", async () => {
    const { asked, code, data, errors } = await watch(changes)
    assert.deepStrictEqual([code, errors, asked], [0, "", 4])
    assert.deepStrictEqual(data.trimEnd().split("\n").map((line) => line.replace(/^\S+Z {2}/, "")), [
      "1  SO-1001  ARRIVED  D1  0 of 4 passed, 4 missing",
      "1  SO-1001  ARRIVED  D1  3 of 4 passed, 1 missing",
      "1  SO-1001  DEPARTED  D1  4 of 4 passed, 1 unexpected"
    ])
  })

  it("writes a document for each change with --json", async () => {
    const { data } = await watch(changes, { columns: 80 }, "--json")
    assert.deepStrictEqual(
      data.trimEnd().split("\n").map((line) => JSON.parse(line).progress.passedPallets),
      [0, 3, 5]
    )
  })

  it("draws bars at a terminal, each over the one before, and nothing where nothing has changed", async () => {
    const { data } = await watch(changes, { columns: 70 })
    const [first, ...others] = data.split("\u001b[1A\r\u001b[J")
    assert.strictEqual(first, "1  SO-1001  ARRIVED  D1  ░░░░░░░░░░░░░░░░░░░  0 of 4 passed, 4 missing\n")
    assert.lengthOf(others, 2)
    assert.include(others[0]!, "3 of 4 passed, 1 missing")
    assert.notInclude(others[1]!, "░")
  })

  it("goes on when the service comes back, and says once that it was away", async () => {
    const { asked, code, data, errors } = await watch([changes[0]!, away, away, FakeService.json(departed)])
    assert.deepStrictEqual([code, asked], [0, 4])
    assert.lengthOf(data.trimEnd().split("\n"), 2)
    assert.strictEqual(errors.match(/the database is away/g)?.length, 1)
    assert.include(errors, "Trying again until it answers.")
  })

  it("ends at the first look that fails, and at a refusal", async () => {
    const unreachable = await watch([away])
    assert.deepStrictEqual([unreachable.code, unreachable.asked], [1, 1])
    const forbidden = FakeService.problem(404, { title: "Not Found", detail: "no longer there" })
    const refusal = await watch([changes[0]!, forbidden])
    assert.deepStrictEqual([refusal.code, refusal.asked], [1, 2])
  })

  it("watches several, and asks no more for one that has departed", async () => {
    const cursors: Array<string> = []
    let looks = 0
    await using service = await FakeService.serve((request, response) => {
      cursors.push(request.path)
      const isFirst = request.path.endsWith("/1")
      const id = isFirst ? 1 : 2
      if (!isFirst) looks += 1
      FakeService.json(isFirst || looks > 2 ? { ...departed, id } : shipment({ id }))(request, response)
    })
    const { code, data } = await runLine(
      ["shipment", "watch", "1", "2", "1", "--interval", "0.1", "--json"],
      { env: env(service.url) }
    )
    assert.deepStrictEqual([code, data.trimEnd().split("\n").length], [0, 3])
    assert.deepStrictEqual(cursors, [1, 2, 2, 2].map((id) => `/v1/shipments/${id}`))
  })
})

describe("the picture of several shipments", () => {
  it("has a line for each, as wide as the terminal at most", () => {
    fc.assert(fc.property(
      fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.nat(10_000), fc.nat(10_000), fc.nat(99)), {
        minLength: 1,
        maxLength: 20
      }),
      fc.integer({ min: 20, max: 200 }),
      (rows, width) => {
        const all = rows.map(([shipmentNumber, expected, passCount, unexpected], id) => ({
          id,
          shipmentNumber,
          status: "ARRIVED" as const,
          dockSlug: "",
          progress: progress(expected, Math.min(expected, passCount), unexpected)
        }))
        const lines = picture(all, width).split("\n")
        assert.lengthOf(lines, rows.length)
        for (const line of lines) assert.isAtMost(CliOutput.displayWidth(line), width)
      }
    ))
  })
})

describe("a bar", () => {
  it("is full if and only if pallets are expected and none is missing", () => {
    fc.assert(
      fc.property(
        fc.nat(10_000),
        fc.nat(10_000),
        fc.integer({ min: 1, max: 60 }),
        (expected, passCount, width) => {
          const bar = ShipmentCommands.bar(progress(expected, Math.min(expected, passCount)), width)
          assert.lengthOf(bar, width)
          assert.strictEqual(!bar.includes("░"), expected > 0 && passCount >= expected)
        }
      )
    )
  })
})

const message = (id: number) => ({
  id,
  businessSlug: "acme",
  facilitySlug: "east",
  messageType: "PALLET_EVENT",
  message: { serviceShipmentId: "7", direction: "LOADING", orders: ["SO-1001"] },
  sentAt: "2026-11-20T17:00:00.000+00:00"
})

/** A log of so many messages, to which one is added at each look that finds nothing. */
const log = (count: number) => {
  let newest = count
  const handler: FakeService.Handler = (request, response) => {
    const query = new URL(request.path, "http://service").searchParams
    const after = Number(query.get("afterId") ?? newest)
    const until = Math.min(newest, after + Number(query.get("limit")))
    const items = Array.from({ length: Math.max(0, until - after) }, (_, index) => message(after + index + 1))
    if (items.length === 0) newest += 1
    FakeService.json({ items, next: until < newest && items.length > 0 ? String(until) : null })(
      request,
      response
    )
  }
  return handler
}

const tail = async (handler: FakeService.Handler, args: ReadonlyArray<string>, input: RunInput = {}) => {
  await using service = await FakeService.serve(handler)
  const line = ["message", "tail", "acme", "--interval", "0.1", ...args]
  const ran = await runLine(line, { ...input, env: env(service.url) })
  return { ...ran, queries: service.requests.map(({ path }) => path.split("?")[1] ?? "") }
}

const idsOf = (data: string) => data.trimEnd().split("\n").map((line) => JSON.parse(line).id)

describe("message tail", () => {
  it("shows each message once, in order, over pages and waits", async () => {
    const { code, data } = await tail(log(250), ["--after", "0", "--limit", "252", "--json"])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(idsOf(data), Array.from({ length: 252 }, (_, index) => index + 1))
  })

  it("shows a line for each, and the titles once", async () => {
    const { data } = await tail(log(1), ["--after", "0", "--limit", "2"])
    assert.deepStrictEqual(data.trimEnd().split("\n"), [
      "ID  SENT                           TYPE          FACILITY  WHAT",
      "1   2026-11-20T17:00:00.000+00:00  PALLET_EVENT  east      LOADING shipment 7 (SO-1001)",
      "2   2026-11-20T17:00:00.000+00:00  PALLET_EVENT  east      LOADING shipment 7 (SO-1001)"
    ])
  })

  it("begins with what is new by the clock of the service, and goes on after ids", async () => {
    let looks = 0
    const handler: FakeService.Handler = (request, response) => {
      looks += 1
      response.setHeader("date", "Fri, 20 Nov 2026 17:00:00 GMT")
      FakeService.json({ items: looks === 3 || looks === 4 ? [message(looks)] : [], next: null })(
        request,
        response
      )
    }
    const { data, queries } = await tail(handler, ["--limit", "2", "--json"])
    assert.deepStrictEqual(idsOf(data), [3, 4])
    assert.deepStrictEqual(queries.map((query) => new URLSearchParams(query).get("since")), [
      "9999-12-31T23:59:59Z",
      "2026-11-20T17:00:00.000Z",
      "2026-11-20T17:00:00.000Z",
      null
    ])
    assert.include(queries[3], "afterId=3")
  })

  it("goes on when the service has had too many requests, and loses none", async () => {
    const answer = log(1)
    let looks = 0
    const tooMany = FakeService.problem(429, {
      title: "Too Many Requests",
      detail: "come back",
      code: "RATE_LIMITED"
    })
    const { code, data, errors } = await tail((request, response) => {
      looks += 1
      return looks === 2 ? tooMany(request, response) : answer(request, response)
    }, ["--after", "0", "--limit", "2", "--json"])
    assert.deepStrictEqual([code, idsOf(data)], [0, [1, 2]])
    assert.match(errors, /come back[^]*Trying again until it answers\./)
  })

  it("ends with what the service refuses, such as an id that it does not have", async () => {
    const refusal = FakeService.problem(409, {
      title: "Conflict",
      detail: "no such id",
      code: "CURSOR_AHEAD"
    })
    const { code, data, errors } = await tail(refusal, ["--after", "9"])
    assert.deepStrictEqual([code, data], [1, ""])
    assert.include(errors, "code CURSOR_AHEAD")
  })

  it("ends with 130 at Ctrl-C, and says where to go on", async () => {
    let waits = () => {}
    const waiting = new Promise<void>((resolve) => (waits = resolve))
    await using service = await FakeService.serve((request, response) => {
      const isFirst = request.path.includes("afterId=0")
      if (!isFirst) waits()
      FakeService.json({ items: isFirst ? [message(1), message(2)] : [], next: null })(request, response)
    })
    const args = ["message", "tail", "acme", "--after", "0", "--interval", "0.1", "--json"]
    const child = Child.start(args, env(service.url))
    await waiting
    child.kill("SIGINT")
    const { code, data, errors } = await child.ended
    assert.deepStrictEqual([code, idsOf(data), errors], [130, [1, 2], "To go on: --after 2\n"])
  })
})

describe("the token of a long run", () => {
  it("is asked for anew before it expires", async () => {
    let tokenCount = 0
    const tokens: FakeService.Handler = (request, response) => {
      tokenCount += 1
      // What is about to expire serves the request that it was asked for.
      FakeService.json({ access_token: `token-${tokenCount}`, token_type: "Bearer", expires_in: 60 })(
        request,
        response
      )
    }
    const answers = [FakeService.json(shipment()), FakeService.json(departed)]
    await using service = await FakeService.serve(inTurn(answers), tokens)
    const { code } = await runLine(["shipment", "watch", "1", "--interval", "0.1"], { env: env(service.url) })
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(service.requests.map(({ authorization }) => authorization), [
      "Bearer token-1",
      "Bearer token-2"
    ])
  })
})
