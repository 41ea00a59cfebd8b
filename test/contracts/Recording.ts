/**
 * Records the answers of a service to the requests of the examples: over REST and in memory, at the times in the requests, with ids and
 * secrets that are the same each time. `UPDATE_ANSWERS=1 npx vitest run Answers` records them again: into `answers.json` of a folder, with
 * one line for each answer.
 */
import type * as Operation from "@dockline/core/access/Operation"
import type * as Capability from "@dockline/core/capability/Capability"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as OperationExamples from "@dockline/core/operations/OperationExamples"
import { documentExamples } from "@dockline/core/operations/OperationExamples"
import { operations } from "@dockline/core/operations/Operations"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import type { RestPart } from "@dockline/http-adapter/RestPart"
import { OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import * as WebhookSender from "@dockline/webhook-adapter/WebhookSender"
import { Layer } from "effect"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, onTestFinished, vi } from "vitest"

const baseUrl = "https://dockline.example"

/** The day of the examples. */
const day = "2026-11-20"

const timeOf = (at: string): number => Date.parse(`${day}T${at}Z`)

/** The places of the demo data (D12.2), with the fields of its messages. */
const places = [{
  slug: "acme",
  name: "Acme",
  fieldMap: [
    { name: "LPN", label: "lpn", list: false },
    { name: "SKUs", label: "sku", list: true },
    { name: "LotNumber", label: "lot", list: false },
    { name: "ExpirationDate", label: "expiration", list: false }
  ],
  facilities: [{ slug: "east", name: "Acme East", docks: ["D1", "D2"] }, {
    slug: "west",
    name: "Acme West",
    docks: ["D1"]
  }]
}]

const grants = {
  "acme-client": [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "shipments:write", "pallets:write"]
  }],
  operator: [{ business: "*", facilities: "*", permissions: ["operator"] }]
} as const

/** The clients that make requests. */
type ClientId = keyof typeof grants

/** The way in which a request is sent. */
interface Sending {
  /** The time of day, which the service's clock has from then on. */
  readonly at: string
  /** The parameters of the path, and of the query. */
  readonly input?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  /** The type of the body; JSON by default. */
  readonly contentType?: string
  readonly client?: ClientId
}

/** The parts of an operation that are needed for a request. */
type Asked = Pick<Operation.Any, "name"> & { readonly rest: Operation.Route }

/** A service that records. */
export interface Recorder {
  /** The answer of REST to an operation. */
  readonly ask: <Answer = Readonly<Record<string, unknown>>>(
    operation: Asked,
    sending: Sending
  ) => Promise<Answer>
  /** The entries of a page that REST returns for a list. */
  readonly entriesOf: <Row = Readonly<Record<string, unknown>>>(
    operation: Asked,
    sending: Sending
  ) => Promise<ReadonlyArray<Row>>
  /** Sends webhooks from a time of day on, while the promise that the function makes is pending. */
  readonly sendingWebhooks: <A>(at: string, during: () => Promise<A>) => Promise<A>
}

/** Random values that are derived from the name of their user. */
const seeded = () => {
  let name = ""
  let count = 0
  const bytes = (length: number): Buffer =>
    Buffer.concat(
      Array.from({ length: Math.ceil(length / 32) }, () =>
        createHash("sha256").update(`${name} ${count++}`).digest())
    ).subarray(0, length)
  vi.spyOn(crypto, "randomUUID").mockImplementation(() => {
    const hex = bytes(16).toString("hex")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${
      hex.slice(20)
    }`
  })
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    if (array instanceof Uint8Array) array.set(bytes(array.length))
    return array
  })
  vi.spyOn(Math, "random").mockReturnValue(0.5)
  return (seed: string) => {
    name = seed
    count = 0
  }
}

/** The receivers of the examples: their login gives tokens, and their hooks cannot take messages yet. */
const outboundHttp = OutboundHttp.layerPromise(async ({ url }) => {
  const [status, type, body] = url.endsWith("/login")
    ? [200, "application/json", JSON.stringify({ access_token: "a-token", expires_in: 3600 })] as const
    : [500, "text/plain", "try again later"] as const
  return { status, headers: { "content-type": type }, body: new TextEncoder().encode(body) }
})

/** The additions of a recorded service to the operations of its capabilities. */
interface Beside {
  readonly parts?: ReadonlyArray<RestPart>
  /** Workers over the services of its capabilities. */
  readonly work?: Layer.Layer<never, never, unknown>
}

/** Opens a service with these capabilities, until the test ends. */
export const open = async (
  capabilities: Capability.List = [],
  { parts = [], work = Layer.empty }: Beside = {}
): Promise<Recorder> => {
  vi.useFakeTimers({ toFake: ["Date"], now: timeOf("09:00:00") })
  const seed = seeded()
  const dockline = await Dockline.open({
    storage: Memory.layerWith(capabilities),
    capabilities,
    clock: { now: () => Date.now() },
    dashboardUrl: "https://dashboard.example.com",
    webhooks: WebhookSender.setup({ secretsKey: Buffer.alloc(32, 1).toString("base64"), outboundHttp })
  })
  assert.isTrue((await dockline.places(places)).ok)
  const services = Layer.provideMerge(work, dockline.layer as Layer.Layer<unknown>)
  const rest = await RestHandler.make(services, {
    baseUrl,
    parts,
    clients: Object.entries(grants).map(([id, grants]) => ({ id, secret: `${id}-secret`, grants }))
  })
  onTestFinished(async () => {
    await rest.close()
    await dockline.close()
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const send = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const content = body === undefined
      ? {}
      : { body: typeof body === "string" ? body : JSON.stringify(body) }
    const response = await rest.handler(
      new Request(`${baseUrl}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...content
      }),
      { remoteAddress: "192.0.2.7" }
    )
    const text = await response.text()
    assert.isTrue(response.ok, `${method} ${path}: ${response.status} ${text}`)
    // Only the duration of a request to a receiver depends on the machine.
    return response.headers.get("content-type")?.startsWith("application/json") !== true
      ? text
      : JSON.parse(text, (name, value) => name === "durationMs" ? 12 : value)
  }

  const tokens = new Map<ClientId, string>()
  const tokenOf = async (client: ClientId): Promise<string> => {
    const token = tokens.get(client) ?? (await send("POST", "/oauth/token", {
      client_id: client,
      client_secret: `${client}-secret`,
      audience: audienceOf(baseUrl),
      grant_type: "client_credentials"
    })).access_token
    tokens.set(client, token)
    return token
  }

  const ask: Recorder["ask"] = async (
    { name, rest },
    { at, body, client = "acme-client", contentType, input = {} }
  ) => {
    const token = await tokenOf(client)
    vi.setSystemTime(timeOf(at))
    seed(name)
    const [method, route] = rest.split(" ") as [string, string]
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(input)) {
      if (!route.split("/").includes(`:${key}`)) query.set(key, String(value))
    }
    const path = route.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(input[key])))
    return send(method, query.size === 0 ? path : `${path}?${query}`, body, {
      authorization: `Bearer ${token}`,
      "correlation-id": "wms-000871",
      ...(contentType === undefined ? {} : { "content-type": contentType })
    })
  }

  return {
    ask,
    entriesOf: async (operation, sending) => (await ask<{ items: [] }>(operation, sending)).items,
    sendingWebhooks: async (at, during) => {
      vi.setSystemTime(timeOf(at))
      await using _sender = await WebhookSender.start(dockline.layer, { outboundHttp })
      return await during()
    }
  }
}

/** The shipment of the examples, with its events in their order. */
export const freight = ({ ask }: Recorder) => {
  const { merge, overwrite, severalOverwrite } = documentExamples(1)
  const submit = <Answer>(at: string, { document }: { readonly document: unknown }) =>
    ask<Answer>(operations.submit, { at, body: document })
  const { arrive, checkIn, depart, recordPallet } = OperationExamples.requests
  const recordEvent = (at: string, body: unknown) => ask(operations.recordPallet, { at, body })
  const id = 1
  return {
    id,
    /** Documents announce it, and another. */
    expect: async () => ({
      created: await submit("09:30:00", overwrite!),
      updated: await submit("09:45:00", merge!),
      other: await submit<{ readonly shipment: { readonly id: number } }>("10:00:00", severalOverwrite!)
    }),
    /** It arrives, and pallets are loaded: an expected one, and one of the other shipment. */
    load: async () => ({
      checkIn: await ask(operations.checkIn, { at: "16:35:01", input: { id }, body: checkIn["door"]!.value }),
      arrive: await ask(operations.arrive, { at: "16:42:01", input: { id }, body: arrive["later"]!.value }),
      recordPallet: await recordEvent("17:02:11.482", recordPallet["byLpn"]!.value),
      wrongPallet: await recordEvent("17:04:30.120", {
        ...recordPallet["byShipmentNumber"]!.value,
        eventId: "E-0999",
        occurredAt: `${day}T17:04:30Z`,
        labels: [{ name: "lpn", value: "000201" }]
      })
    }),
    depart: () => ask(operations.depart, { at: "18:05:02", input: { id }, body: depart["later"]!.value })
  }
}

/** Reduces entries to these fields. */
export const pick = (
  entries: ReadonlyArray<Readonly<Record<string, unknown>>>,
  fields: ReadonlyArray<string>
): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  entries.map((entry) => Object.fromEntries(fields.map((name) => [name, entry[name]])))

/** The text of a file of answers: one line for each answer of each of these tables. */
const textOf = (recorded: Tables): string => {
  const lines = Object.entries(recorded).map(([table, entries]) => {
    const members = Object.entries(entries).map(([name, value]) =>
      `${JSON.stringify(name)}: ${JSON.stringify(value)}`
    )
    return `${JSON.stringify(table)}: {\n${members.join(",\n")}\n}`
  })
  return `{\n${lines.join(",\n")}\n}\n`
}

type Tables = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Compares these tables of a file of answers with the recorded ones; or writes them. */
export const compare = (url: URL, recorded: Tables): void => {
  vi.useRealTimers()
  const file: Tables = JSON.parse(readFileSync(url, "utf8"))
  if (process.env["UPDATE_ANSWERS"] !== undefined) {
    writeFileSync(url, textOf({ ...file, ...recorded }))
    return
  }
  const tables = Object.fromEntries(Object.keys(recorded).map((table) => [table, file[table]]))
  const path = relative(resolve(import.meta.dirname, "../.."), fileURLToPath(url))
  assert.deepStrictEqual(
    tables,
    recorded,
    `${path} is out of date: \`UPDATE_ANSWERS=1 npx vitest run Answers\` records it again`
  )
}
