/** The customer's program against a real server, both as processes of their own, on PostgreSQL. */
import { Effect, Exit, Redacted, Scope } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as Site from "../../examples/demo/src/Site.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import * as Process from "./Process.ts"

let folder: string
let scope: Scope.Closeable
let databaseUrl: string
let running: Array<Pick<Process.Process, "kill" | "ended">>
let server: ServerProcess.ServerProcess
let tower: Site.Site
let events: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "dockline-customer-"))
  running = []
  events = 0
  scope = Scope.makeUnsafe()
  databaseUrl = Redacted.value(
    (await Effect.runPromise(Scope.provide(TestDatabase.createMigrated, scope))).url
  )
})

afterEach(async () => {
  for (const { kill, ended } of running) {
    kill("SIGKILL")
    await ended
  }
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true, force: true })
})

const serve = async (port?: string) => {
  server = await ServerProcess.serve({
    DATABASE_URL: databaseUrl,
    DEMO: "true",
    ...(port === undefined ? {} : { PORT: port })
  })
  const { child, ended } = server
  running.push({ kill: (signal) => child.kill(signal), ended })
}

const customer = (args: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}) => {
  const started = Process.start("examples/customer/src/main.ts", args, {
    STATE_FILE: join(folder, "state.json"),
    ...env
  })
  running.push(started)
  return started
}

/** An order with three pallets whose shipment is at dock D1; its shipment's id. */
const arrive = async (): Promise<string> => {
  const signal = new AbortController().signal
  tower = Site.make(server.baseUrl, "tower", signal)
  const answer = await Site.make(server.baseUrl, "acme-client", signal).post("/v1/documents", {
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    orderNumber: "SO-1",
    items: [1, 2, 3].map((each) => ({ lpn: `LPN-${each}`, sku: "S", quantity: 1, quantityUnit: "CASE" }))
  }, 201)
  const { id } = answer["shipment"] as { readonly id: number }
  await tower.post(`/v1/shipments/${id}/arrive`, { dockSlug: "D1" }, 200)
  return String(id)
}

/** A pallet crosses the dock; the message's id. */
const cross = async (pallet: number, direction: "LOADING" | "UNLOADING"): Promise<number> => {
  events += 1
  const answer = await tower.post("/v1/pallet-events", {
    eventId: `e-${events}`,
    business: "acme",
    facility: "east",
    dockSlug: "D1",
    direction,
    occurredAt: new Date(Date.UTC(2026, 10, 20) + events * 1000).toISOString(),
    labels: [{ name: "lpn", value: `LPN-${pallet}` }]
  }, 201)
  return Number(answer["messageId"])
}

/** Each of the three pallets crosses in turn, loaded and unloaded by turns; the messages' ids. */
const crossMany = async (count: number): Promise<ReadonlyArray<number>> => {
  const ids: Array<number> = []
  for (let index = 0; index < count; index++) {
    ids.push(await cross(1 + index % 3, Math.floor(index / 3) % 2 === 0 ? "LOADING" : "UNLOADING"))
  }
  return ids
}

const depart = (shipmentId: string) => tower.post(`/v1/shipments/${shipmentId}/depart`, {}, 200)

interface Line {
  readonly id: number
  readonly effect: { readonly type: string; readonly differences?: ReadonlyArray<string> }
}

/** The whole lines that a customer has written as JSON. */
const linesOf = ({ output }: Process.Process): ReadonlyArray<Line> =>
  output().split("\n").slice(0, -1).map((line) => JSON.parse(line) as Line)

const idsOf = (process: Process.Process) => linesOf(process).map(({ id }) => id)

const isComplete = (process: Process.Process) =>
  linesOf(process).some(({ effect }) => effect.type === "completion")

/** The last id stored; 0 before the first. */
const storedId = (): number => {
  const path = join(folder, "state.json")
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { readonly lastId: number }).lastId : 0
}

const isLive = ({ errors }: Process.Process) => errors().includes("following live")

describe("npm run customer", () => {
  it("D6.6 shows history and live messages as a table, cancels pairs, and agrees with the completion", async () => {
    await serve()
    const shipmentId = await arrive()
    await cross(1, "LOADING")
    await cross(2, "LOADING")
    const program = customer([], {
      BASE_URL: server.baseUrl,
      FACILITY: "east",
      CLIENT_ID: "acme-east-client",
      CLIENT_SECRET: "acme-east-client-secret"
    })
    await program.until(isLive)
    await cross(1, "UNLOADING")
    await depart(shipmentId)
    await program.until(({ output }) => output().includes("departed"))
    const lines = program.output().split("\n")
    assert.match(lines[0]!, /^id +UTC +shipment +LPN +direction +count +by$/)
    assert.isAtMost(lines[1]!.length, 80)
    assert.match(lines[2]!, /^\d+ +00:00:01 +\d+ +LPN-1 +LOADING +\+1 +GraphQL$/)
    assert.match(lines[3]!, /LPN-2 +LOADING .* \+1 +GraphQL$/)
    assert.match(lines[4]!, /LPN-1 +UNLOADING .* pair cancels +GraphQL$/)
    assert.include(lines[5], `shipment ${shipmentId} departed: The service says 1 pallet, as we counted.`)
    assert.include(lines[6], "(SO-1): 1 pallet (1 loaded); 3 messages, 1 cancelled pair")
    program.kill("SIGINT")
    assert.strictEqual(await program.ended, 0)
  })

  it("killed at any moment and started again, it misses nothing and doubles nothing", async () => {
    await serve()
    const shipmentId = await arrive()
    const posted: Array<number> = []
    const seen: Array<number> = []
    const wrote = (many: number) => (process: Process.Process) => linesOf(process).length >= many
    // While it reads history, when it has and has stored that, and soon after its start again.
    for (const isTime of [wrote(5), isLive, wrote(11)]) {
      const posting = crossMany(30)
      const program = customer(["--json"], { BASE_URL: server.baseUrl })
      const killed = program.until(isTime).then(() => program.kill("SIGKILL"))
      const [ids] = await Promise.all([posting, killed])
      await program.ended
      posted.push(...ids)
      // What was written and not yet stored comes again; what was stored does not.
      seen.push(...idsOf(program).filter((id) => id <= storedId()))
    }
    const before = storedId()
    assert.isAtLeast(before, posted[29]!)
    const last = customer(["--json"], { BASE_URL: server.baseUrl })
    await depart(shipmentId)
    await last.until(isComplete)
    assert.deepStrictEqual(idsOf(last).slice(0, -1), posted.filter((id) => id > before))
    assert.deepStrictEqual([...seen, ...idsOf(last).slice(0, -1)], posted)
    assert.deepStrictEqual(linesOf(last).at(-1)!.effect.differences, [])
  })

  it("goes on when the server is killed and started again under it", async () => {
    await serve()
    const shipmentId = await arrive()
    const program = customer(["--json"], { BASE_URL: server.baseUrl })
    await program.until(isLive)
    const posted = [...await crossMany(5)]
    server.child.kill("SIGKILL")
    await server.ended
    await program.until(({ errors }) => errors().includes("Trying again"))
    await serve(new URL(server.baseUrl).port)
    posted.push(...await crossMany(4))
    await depart(shipmentId)
    await program.until(isComplete)
    assert.deepStrictEqual(idsOf(program).slice(0, -1), posted)
    assert.deepStrictEqual(linesOf(program).at(-1)!.effect.differences, [])
    program.kill("SIGTERM")
    assert.strictEqual(await program.ended, 0)
  })
})

describe("npm run customer, when it cannot", () => {
  it("a wrong secret ends it with 1 and names the setting", async () => {
    await serve()
    const program = customer(["--client-secret", "hunter2"], { BASE_URL: server.baseUrl })
    assert.strictEqual(await program.ended, 1)
    assert.match(program.errors(), /customer: .*acme-client.*invalid_client.*CLIENT_SECRET/)
    assert.notInclude(program.errors(), "hunter2")
    assert.notInclude(program.errors(), "    at ")
  })

  it("a server that is away is waited for and said so; Ctrl-C ends it with 0", async () => {
    const port = await ServerProcess.freePort()
    const program = customer([], { BASE_URL: `http://127.0.0.1:${port}` })
    await program.until(({ errors }) => errors().split("Trying again").length > 2)
    assert.include(program.errors(), "ECONNREFUSED")
    program.kill("SIGINT")
    assert.strictEqual(await program.ended, 0)
    assert.include(program.errors(), "Stopped after message 0")
  })

  it.each([
    ["not JSON", "{", "does not hold a customer's state"],
    [
      "another log's",
      "{\"log\":\"http://other acme/*\",\"lastId\":1,\"counts\":{}}",
      "belongs to http://other"
    ]
  ])("a state file that is %s is left alone, and named", async (_name, text, said) => {
    const path = join(folder, "state.json")
    writeFileSync(path, text)
    const program = customer()
    assert.strictEqual(await program.ended, 1)
    assert.include(program.errors(), path)
    assert.include(program.errors(), said)
    assert.strictEqual(readFileSync(path, "utf8"), text)
  })

  it.each([
    [["--facilty", "east"], "--facilty"],
    [["--base-url", "localhost:8080"], "BASE_URL"],
    [["east"], "east"]
  ])("%j is refused and named", async (args, name) => {
    const program = customer(args)
    assert.strictEqual(await program.ended, 1)
    assert.include(program.errors(), name)
  })

  it("--help names the settings, from the first to the last", async () => {
    const program = customer(["--help"])
    assert.strictEqual(await program.ended, 0)
    for (const name of ["BASE_URL", "WEBHOOK_COMPLETION_AUTH"]) assert.include(program.output(), name)
  })
})
