/**
 * A business that nobody else is concerned with asks one instance for as much as it can get: its one client reads a
 * large shipment again and again and takes nothing of some of the answers, or it spells the `Authorization` header of its
 * requests in many ways, with several tokens; or the business has many clients, as its operator can make them.
 */
import { Agent, request as send } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import { markOf } from "../history/History.ts"
import { asRecord } from "../Json.ts"
import { past, until } from "../Until.ts"
import { Client, newRequest, operate, operator } from "../workload/Client.ts"
import type { Account, Site } from "../workload/Client.ts"
import { addRequest } from "../workload/Documents.ts"

/** The least time for which requests are sent, in milliseconds: a shorter burden would show nothing. */
const leastMillis = 4000

/** How long what the client needs may take, in milliseconds. */
const patienceMillis = 15_000

/** How long a request stays away that was refused or failed, in milliseconds: it heeds no `Retry-After`. */
const awayMillis = 50

const facility = "bulk"

/** The items of the large shipment, and the characters of text of each: more than a connection buffers. */
const largeItems = 3000
const itemText = "x".repeat(950)

/** The reads under way at once, and those of which nothing is taken: fewer than one client's answers have room for. */
const reads = 12
const deafReads = 3

/** The dry runs under way at once, and the items of each. */
const dryRuns = 300
const dryRunItems = 10

/** The spellings of a token's scheme, and how many spaces may come after it. */
const schemes = ["Bearer", "bearer", "BEARER", "bEaReR"]
const mostSpaces = 25

/** The clients of a business that has many. */
const manyClients = 20

interface Sending {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether nothing is taken of the answer. */
  readonly isDeaf?: boolean
}

let burdens = 0

/** Makes a business with clients of its own. `undefined`: the service does not answer. */
const settle = async (
  site: Site,
  instance: number,
  clients: number
): Promise<ReadonlyArray<Account> | undefined> => {
  const business = `bulk${++burdens}`
  const client = new Client(site, operator, Random.of(burdens), { instance, patience: patienceMillis })
  const make = (path: string, body: unknown) =>
    client.attempt(operate(`${path} for ${business}`, { path: `/v1/operator/${path}`, body }))
  await make("businesses", { slug: business, name: business })
  await make(`businesses/${business}/facilities`, { slug: facility, name: facility })
  const grant = { business, facilities: "*", permissions: ["documents:write", "messages:read"] }
  const accounts: Array<Account> = []
  for (let at = 0; at < clients; at++) {
    const { body, outcome } = await make("clients", { name: `${business} ${at}`, grants: [grant] })
    if (outcome.type !== "ok") return undefined
    const { clientSecret, id } = asRecord(body)
    accounts.push({ clientId: String(id), secret: String(clientSecret), business, facility })
  }
  return accounts
}

/** Makes a large shipment; its id. `undefined`: the service does not answer. */
const makeLarge = async (client: Client): Promise<number | undefined> => {
  const name = (kind: string) => `${markOf(client.account.business, facility)}${kind}`
  const lpns = Array.from({ length: largeItems }, (_, at) => name(`L${at}`))
  const key = newRequest()
  const request = addRequest(client.account, { shipment: name("S"), own: { [name("O")]: lpns } }, key)
  // The reference of an item is nothing that the history holds.
  const body: unknown = JSON.parse(
    JSON.stringify(request.message.body).replaceAll("\"lpn\":", `"identifier":"${itemText}","lpn":`)
  )
  const large = { ...request, message: { ...request.message, body } }
  const { outcome } = await client.settle(large, past(patienceMillis), key)
  return outcome.type === "ok" ? outcome.answer.shipments?.[0]?.id : undefined
}

type Prepare = (client: Client, tokens: ReadonlyArray<string>) => Promise<ReadonlyArray<Sending> | undefined>

/** Dry runs at once, each with a token and another spelling of its header. */
const dryRunsBy: Prepare = async ({ account: { business } }, tokens) => {
  const item = { sku: "SKU", quantity: 1, quantityUnit: "CASE" }
  const items = Array.from({ length: dryRunItems }, (_, at) => ({ ...item, lpn: `L${at}` }))
  return Array.from({ length: dryRuns }, (_, at) => {
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

/** What is sent again and again. */
const prepares: Readonly<Record<"large-reads" | "many-spellings" | "many-clients", Prepare>> = {
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
  "many-spellings": dryRunsBy,
  "many-clients": dryRunsBy
}

/** Sends each request again and again until it is ended; how many were answered and refused by then. */
const sendAll = (url: string, sendings: ReadonlyArray<Sending>) => {
  const leaving = new AbortController()
  const { signal } = leaving
  const agent = new Agent({ keepAlive: true })
  const counted = { answered: 0, refused: 0 }
  const once = ({ body, isDeaf = false, ...sending }: Sending) =>
    new Promise<boolean>((resolve) => {
      const request = send(`${url}${sending.path}`, { ...sending, agent, signal }, (answer) => {
        const isAnswered = answer.statusCode! < 300
        counted[isAnswered ? "answered" : "refused"]++
        answer.once("error", () => resolve(false)).once("close", () => resolve(isAnswered))
        if (!isDeaf || !isAnswered) answer.resume()
      })
      request.once("error", () => resolve(false))
      request.end(body)
    })
  const sending = sendings.map(async (each) => {
    while (!signal.aborted) {
      if (!await once(each)) await wait(awayMillis, undefined, { signal }).catch(() => {})
    }
  })
  const end = async () => {
    leaving.abort()
    await Promise.all(sending)
    agent.destroy()
    return counted
  }
  return { counted, end }
}

/**
 * Begins a burden at one instance. The returned function ends it, and says what became of its requests; `undefined`: the
 * service does not answer.
 */
export const begin = async (
  site: Site,
  kind: keyof typeof prepares,
  instance: number
): Promise<(() => Promise<string>) | undefined> => {
  const accounts = await settle(site, instance, kind === "many-clients" ? manyClients : 1)
  const [account] = accounts ?? []
  if (accounts === undefined || account === undefined) return undefined
  // One client has several tokens.
  const clients = (kind === "many-clients" ? accounts : [account, account, account]).map((each, at) =>
    new Client(site, each, Random.of(1 + at), { instance, patience: patienceMillis })
  )
  const tokens = (await Promise.all(clients.map((client) => client.token(instance))))
    .filter((token) => typeof token === "string")
  const sendings = tokens.length < clients.length ? undefined : await prepares[kind](clients[0]!, tokens)
  if (sendings === undefined) return undefined

  const { recorder, urls } = site
  const burden = { type: "burden", kind, business: account.business, instance } as const
  recorder.record({ ...burden, phase: "begin" })
  const sent = sendAll(urls[instance]!, sendings)
  const shownSomething = wait(leastMillis)
  return async () => {
    await shownSomething
    // On a machine that is busy with much else the first answer takes its time.
    await until(() => sent.counted.answered > 0, patienceMillis)
    const { answered, refused } = await sent.end()
    recorder.record({ ...burden, phase: "end", answered })
    return `${answered} answered, ${refused} refused`
  }
}
