/**
 * The service as its clients use it: one request at a time, with what may have become of it, and what it shows.
 */
import type { ShownMessage, ShownShipment } from "./Judgement.ts"
import { Site } from "./Site.ts"

/** The clients of the demo data that take part. */
export type Client = "acme-client" | "tower" | "operator"

/** What became of one try. */
export type Outcome =
  | { readonly type: "done"; readonly body: Body }
  /** Not now: 503, for whatever reason, or the first try with this key still runs. */
  | { readonly type: "busy"; readonly code: string }
  /** No answer: it may have been done. */
  | { readonly type: "lost"; readonly reason: string }
  /** Any other answer, which nothing that is done here asks for. */
  | { readonly type: "wrong"; readonly text: string }

/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>

/** How long a client waits for an answer, in milliseconds, unless it is in a hurry. */
export const patience = 10_000

/** The requests of clients to the server of a site. */
export class Service {
  readonly #baseUrl: string
  readonly #tokens = new Map<Client, string>()

  constructor({ baseUrl }: Site) {
    this.#baseUrl = baseUrl
  }

  /** Sends a request once, and waits for its answer as long as said. */
  async send(
    client: Client,
    method: string,
    path: string,
    body?: string,
    key?: string,
    millis = patience
  ): Promise<Outcome> {
    try {
      const token = this.#tokens.get(client) ?? await this.#fetchToken(client)
      if (typeof token !== "string") return token
      return await this.#request(
        method,
        path,
        {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { "idempotency-key": key })
        },
        body,
        millis
      )
    } catch (error) {
      const { cause } = error as Error
      return { type: "lost", reason: cause instanceof Error ? cause.message : String(error) }
    }
  }

  /** Sends a request that is to be answered now. */
  async ask<A = Body>(client: Client, method: string, path: string, body?: string): Promise<A> {
    const outcome = await this.send(client, method, path, body)
    if (outcome.type !== "done") throw new Error(`${method} ${path}: ${JSON.stringify(outcome)}`)
    return outcome.body as A
  }

  /** All shipments. */
  async shipments(): Promise<ReadonlyArray<ShownShipment>> {
    const shown: Array<ShownShipment> = []
    for (let after = "0";;) {
      const page = await this.ask<Page>("acme-client", "GET", `/v1/shipments?business=acme&after=${after}`)
      shown.push(...page.items.map(shownOf))
      if (page.next === null) return shown
      after = page.next
    }
  }

  /** The whole log. */
  async messages(): Promise<ReadonlyArray<ShownMessage>> {
    const limit = 500
    const shown: Array<ShownMessage> = []
    for (;;) {
      const input = { ...wholeLog, afterId: shown.at(-1)?.id ?? 0, limit }
      const { data, errors } = await this.ask<History>(
        "acme-client",
        "POST",
        "/public_graphql",
        JSON.stringify({ query: historyQuery, variables: { input } })
      )
      if (data === null || data === undefined) throw new Error(`No history: ${JSON.stringify(errors)}`)
      shown.push(
        ...data.pushMessages.map(({ id, message, messageType }) => messageOf(id, messageType, message))
      )
      if (data.pushMessages.length < limit) return shown
    }
  }

  async #fetchToken(client: Client): Promise<string | Outcome> {
    const outcome = await this.#request(
      "POST",
      "/oauth/token",
      { "content-type": "application/json" },
      JSON.stringify({
        client_id: client,
        client_secret: `${client}-secret`,
        audience: `${this.#baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      })
    )
    if (outcome.type !== "done") return outcome
    const token = String(outcome.body["access_token"])
    this.#tokens.set(client, token)
    return token
  }

  async #request(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    millis = patience
  ): Promise<Outcome> {
    const response = await fetch(this.#baseUrl + path, {
      method,
      headers,
      signal: AbortSignal.timeout(millis),
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    if (response.ok) return { type: "done", body: JSON.parse(text) as Body }
    const [, code = ""] = /"code":"(\w+)"/.exec(text) ?? []
    const isLater = response.status === 503 && response.headers.get("retry-after") !== null
    if (isLater || code === "IDEMPOTENCY_KEY_IN_USE") return { type: "busy", code }
    return { type: "wrong", text: `${method} ${path} was answered ${response.status}: ${text.slice(0, 500)}` }
  }
}

interface Page {
  readonly items: ReadonlyArray<{
    readonly id: number
    readonly status: string
    readonly orders: ReadonlyArray<{
      readonly orderNumber: string
      readonly items: ReadonlyArray<{ readonly lpn: string; readonly id: string }>
    }>
  }>
  readonly next: string | null
}

interface History {
  readonly data?: {
    readonly pushMessages: ReadonlyArray<
      { readonly id: number; readonly messageType: string; readonly message: Body }
    >
  } | null
  readonly errors?: unknown
}

const wholeLog = {
  businessSlug: "acme",
  messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
  since: "1970-01-01T00:00:00Z"
}

const historyQuery =
  `query($input: PushMessageFilter!) { pushMessages(input: $input) { id messageType message } }`

const shownOf = ({ id, orders, status }: Page["items"][number]): ShownShipment => ({
  id: String(id),
  status,
  items: orders.flatMap(({ items, orderNumber }) =>
    items.map(({ id, lpn }) => ({ order: orderNumber, lpn, id }))
  )
})

/** A message, by its payload. */
export const messageOf = (id: number, type: string, payload: Body): ShownMessage => {
  const pallets = payload["pallets"] as ReadonlyArray<Body> | undefined
  return {
    id,
    type,
    shipmentId: String(payload["serviceShipmentId"]),
    lpns: (pallets ?? [payload]).map((pallet) => String(pallet["LPN"]))
  }
}
