/**
 * A separate business overloads one instance in one of four ways:
 *
 * - its client requests a large shipment again and again, and does not read some of the answers;
 * - its client sends requests with several tokens and many spellings of the `Authorization` header;
 * - its client sends and reads the largest files of X12;
 * - its operator creates many clients, which begin many requests and do not complete their bodies.
 */
import { Agent, request as send } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import { markOf } from "../history/History.ts"
import type { EventOf } from "../history/History.ts"
import { asRecord } from "../Json.ts"
import { past, until } from "../Until.ts"
import { Client, newRequest, operate, operator } from "../workload/Client.ts"
import type { Account, Site } from "../workload/Client.ts"
import { addRequest } from "../workload/Documents.ts"
import { fileOf, interchangeOf, partnerRequest } from "../workload/Edi.ts"
import { probe } from "./Probe.ts"

/** How long requests are sent after the first answer, at least, in milliseconds: a shorter burden would reveal no fault. */
const leastMillis = 4000

/** The time limit for preparing the client's data, in milliseconds. */
const patienceMillis = 30_000

/** The pause after a refused or failed request, in milliseconds: the clients ignore `Retry-After`. */
const awayMillis = 50

const facility = "bulk"

/** The number of items of the large shipment, and the text of each item: the shipment is larger than the buffers of a connection. */
const largeItems = 3000
const itemText = "x".repeat(950)

/** The concurrent reads, and further ones whose answers the client does not read: these do not exhaust the client's budget of answers. */
const reads = 12
const deafReads = 3

/** The dry runs in progress at once, and the items of each. */
const dryRuns = 300
const dryRunItems = 10

/** The spellings of the scheme before a token, and the most spaces between them. */
const schemes = ["Bearer", "bearer", "BEARER", "bEaReR"]
const mostSpaces = 25

/**
 * The number of clients of `many-clients`, each with one dry run in progress, and the number of their requests whose bodies never arrive.
 * In total these exceed the requests that may wait and run, but those of each client are fewer than a business may have waiting. More dry
 * runs would delay the connections of others, because the event loop accepts one connection at a time.
 */
const manyClients = 5
const muteRequests = 1200

/** The pause of these clients after a refused request without a body, in milliseconds: long, so that few requests are refused. */
const longAwayMillis = 1000

/**
 * The time after which an open request without a body counts as kept, and the time without growth after which the number of kept requests
 * counts as the most that the business may have, in milliseconds.
 */
const [keptMillis, fullMillis] = [1500, 2500]

/** The segments of a file, and the repeated text of a damaged file: both files have the greatest permitted length. */
const segments = 250_000
const segment = `REF*BM*${"X".repeat(30)}`
const damages = 2_500_000

/** The concurrent uploads of each file, and the concurrent reads of the large file. */
const files = 4
const damagedFiles = 4
const fileReads = 12

interface Sending {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the client does not read the answer. */
  readonly isDeaf?: boolean
  /** Whether the client does not send the body. */
  readonly isMute?: boolean
}

let burdens = 0

/** Creates a business with its clients; returns `undefined` if the service does not answer. */
const settle = async (client: Client, clients: number): Promise<ReadonlyArray<Account> | undefined> => {
  const business = `bulk${++burdens}`
  const make = (path: string, body: unknown) =>
    client.attempt(operate(`${path} for ${business}`, { path: `/v1/operator/${path}`, body }))
  await make("businesses", { slug: business, name: business })
  await make(`businesses/${business}/facilities`, { slug: facility, name: facility })
  const grant = { business, facilities: "*", permissions: ["documents:write", "messages:read"] }
  const made = await Promise.all(
    Array.from(
      { length: clients },
      (_, at) => make("clients", { name: `${business} ${at}`, grants: [grant] })
    )
  )
  if (made.some(({ outcome }) => outcome.type !== "ok")) return undefined
  return made.map(({ body }) => {
    const { clientSecret, id } = asRecord(body)
    return { clientId: String(id), secret: String(clientSecret), business, facility }
  })
}

/** Creates a large shipment and returns its id, or `undefined` if the service does not answer. */
const makeLarge = async (client: Client): Promise<number | undefined> => {
  const name = (kind: string) => `${markOf(client.account.business, facility)}${kind}`
  const lpns = Array.from({ length: largeItems }, (_, at) => name(`L${at}`))
  const key = newRequest()
  const request = addRequest(client.account, { shipment: name("S"), own: { [name("O")]: lpns } }, key)
  // The history does not need the references of items.
  const body: unknown = JSON.parse(
    JSON.stringify(request.message.body).replaceAll("\"lpn\":", `"identifier":"${itemText}","lpn":`)
  )
  const large = { ...request, message: { ...request.message, body } }
  const { outcome } = await client.settle(large, past(patienceMillis), key)
  return outcome.type === "ok" ? outcome.answer.shipments?.[0]?.id : undefined
}

/** Prepares the requests of a burden, with the tokens of its clients. `own` is the operator. */
type Prepare = (
  client: Client,
  tokens: ReadonlyArray<string>,
  own: Client
) => Promise<ReadonlyArray<Sending> | undefined>

export type BurdenKind = EventOf<"burden">["kind"]

/** Makes a number of dry runs; each uses the next spelling of the header and the next token, and begins again after the last one. */
const dryRunsBy = (
  { account: { business } }: Client,
  tokens: ReadonlyArray<string>,
  count: number
): ReadonlyArray<Sending> => {
  const item = { sku: "SKU", quantity: 1, quantityUnit: "CASE" }
  const items = Array.from({ length: dryRunItems }, (_, at) => ({ ...item, lpn: `L${at}` }))
  return Array.from({ length: count }, (_, at) => {
    const spaces = " ".repeat(1 + at % mostSpaces)
    const authorization = `${schemes[at % schemes.length]}${spaces}${tokens[at % tokens.length]}`
    return {
      method: "POST",
      path: "/v1/documents",
      headers: { authorization, "content-type": "application/json", prefer: "dry-run" },
      body: JSON.stringify({ business, facility, direction: "OUTBOUND", orderNumber: `O${at}`, items })
    }
  })
}

/** The requests of each burden, which are sent again and again. */
const prepares = {
  "large-reads": async (client, [token]) => {
    const id = await makeLarge(client)
    if (id === undefined) return undefined
    const read = {
      method: "GET",
      path: `/v1/shipments/${id}`,
      headers: { authorization: `Bearer ${token}` }
    } as const
    return Array.from({ length: reads + deafReads }, (_, at) => ({ ...read, isDeaf: at >= reads }))
  },
  "many-spellings": async (client, tokens) => dryRunsBy(client, tokens, dryRuns),
  "many-clients": async (client, tokens) => [
    ...dryRunsBy(client, tokens, manyClients),
    ...dryRunsBy(client, tokens, muteRequests).map((each) => ({ ...each, isMute: true }))
  ],
  "large-files": async (client, [token], own) => {
    const partner = { business: client.account.business, facility, partner: "bulk", tellsOf: "ALL" } as const
    await own.attempt(partnerRequest(partner))
    const control = (at: number) => String(at).padStart(9, "0")
    const large = interchangeOf("bulk", control(1), Array.from({ length: segments }, () => segment))
    const damaged = interchangeOf("bulk", control(2), ["ISA*".repeat(damages)])
    const message = { path: "/v1/edi", x12: { text: large, answer: "json" } } as const
    const { body, outcome } = await client.settle(operate("a large file", message), past(patienceMillis))
    if (outcome.type !== "ok") return undefined
    const authorization = `Bearer ${token}`
    const send = (text: string): Sending => ({
      method: "POST",
      path: "/v1/edi",
      headers: { authorization, "content-type": "application/edi-x12" },
      body: text
    })
    const read: Sending = {
      method: "GET",
      path: `/v1/edi/files/${String(fileOf(body)["id"])}`,
      headers: { authorization }
    }
    return [
      ...Array.from({ length: files }, () => send(large)),
      ...Array.from({ length: damagedFiles }, () => send(damaged)),
      ...Array.from({ length: fileReads }, () => read)
    ]
  }
} satisfies Readonly<Record<BurdenKind, Prepare>>

/** Sends each request again and again until `end` is called; counts answered and refused requests, and kept ones without a body. */
const sendAll = (url: string, sendings: ReadonlyArray<Sending>) => {
  const leaving = new AbortController()
  const { signal } = leaving
  const agent = new Agent({ keepAlive: true })
  const counted = { answered: 0, refused: 0 }
  /** The times at which open requests without a body were sent. */
  const mute = new Set<{ readonly sentAt: number }>()
  const kept = () => {
    const latest = performance.now() - keptMillis
    return Array.from(mute).filter(({ sentAt }) => sentAt <= latest).length
  }
  const once = ({ body, isDeaf = false, isMute = false, ...sending }: Sending) =>
    new Promise<boolean>((resolve) => {
      const open = { sentAt: performance.now() }
      if (isMute) mute.add(open)
      const request = send(`${url}${sending.path}`, { ...sending, agent, signal }, (answer) => {
        const isAnswered = answer.statusCode! < 300
        counted[isAnswered ? "answered" : "refused"]++
        answer.once("error", () => resolve(false)).once("close", () => resolve(isAnswered))
        if (!isDeaf || !isAnswered) answer.resume()
      })
      request.once("error", () => resolve(false)).once("close", () => mute.delete(open))
      if (isMute) request.setHeader("content-length", Buffer.byteLength(body ?? "")).flushHeaders()
      else request.end(body)
    })
  const sending = sendings.map(async (each) => {
    // Requests without a body start after the first answer: once they fill the share of the business, its dry runs are not answered.
    while (each.isMute === true && counted.answered === 0 && !signal.aborted) await wait(awayMillis)
    while (!signal.aborted) {
      const away = each.isMute === true ? longAwayMillis : awayMillis
      if (!await once(each)) await wait(away, undefined, { signal }).catch(() => {})
    }
  })
  const end = async () => {
    leaving.abort()
    await Promise.all(sending)
    agent.destroy()
    return counted
  }
  return { counted, kept, end }
}

/** Waits until the number of kept requests without a body no longer grows. */
const filled = async ({ kept }: ReturnType<typeof sendAll>): Promise<void> => {
  let [most, grownAt] = [0, performance.now()]
  await until(() => {
    const now = performance.now()
    const count = kept()
    if (count > most) [most, grownAt] = [count, now]
    return most > 0 && now - grownAt > fullMillis
  }, patienceMillis)
}

/**
 * Begins a burden at one instance. Returns a function that ends the burden and describes the outcomes of its requests, or `undefined` if
 * the service does not answer.
 */
export const begin = async (
  site: Site,
  kind: BurdenKind,
  instance: number
): Promise<(() => Promise<string>) | undefined> => {
  const own = new Client(site, operator, Random.of(1), { instance, patience: patienceMillis })
  const accounts = await settle(own, kind === "many-clients" ? manyClients : 1)
  const [account] = accounts ?? []
  if (accounts === undefined || account === undefined) return undefined
  // One client has several tokens.
  const clients = (kind === "many-clients" ? accounts : [account, account, account]).map((each, at) =>
    new Client(site, each, Random.of(1 + at), { instance, patience: patienceMillis })
  )
  const tokens = (await Promise.all(clients.map((client) => client.token(instance))))
    .filter((token) => typeof token === "string")
  const sendings = tokens.length < clients.length ? undefined : await prepares[kind](clients[0]!, tokens, own)
  if (sendings === undefined) return undefined

  const { recorder, urls } = site
  const burden = { type: "burden", kind, business: account.business, instance } as const
  const recordBegin = () => recorder.record({ ...burden, phase: "begin" })
  // The burden of many clients begins only when their requests fill the share of their business.
  if (kind !== "many-clients") recordBegin()
  // The other burdens keep the harness too busy to measure anything.
  const probing = kind === "large-files" ? probe(site, instance) : async () => {}
  const sent = sendAll(urls[instance]!, sendings)
  // On a busy machine the first answer may take long.
  const shownSomething = until(() => sent.counted.answered > 0, patienceMillis).then(async () => {
    if (kind === "many-clients") {
      await filled(sent)
      recordBegin()
    }
    await wait(leastMillis)
  })
  return async () => {
    await shownSomething
    const { answered, refused } = await sent.end()
    await probing()
    recorder.record({ ...burden, phase: "end", answered })
    return `${answered} answered, ${refused} refused`
  }
}
