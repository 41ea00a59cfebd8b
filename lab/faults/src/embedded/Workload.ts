/**
 * What goes on while things break: clients that append to orders, a dock that reports pallets and departures, a
 * customer who takes webhooks, and one who follows the log by `afterId`.
 *
 * Clients do what the guides say: they send a request again, under its `Idempotency-Key` or `eventId`, until it is
 * answered. Some documents are sent only once, as by a client that gives up: of those, one that was not answered may be
 * there or not, but wholly.
 */
import { Books } from "../../../../examples/customer/src/Books.ts"
import { Follower } from "../../../../examples/customer/src/Follower.ts"
import { beginning } from "../../../../examples/customer/src/StateFile.ts"
import { WebhookCustomer } from "../../../../test/server/WebhookCustomer.ts"
import type { Random } from "../Random.ts"
import type { Known, SentDocument, SentEvent, ShownMessage } from "./Judgement.ts"
import { type Body, type Client, messageOf, type Outcome, patience, Service } from "./Service.ts"
import { pause, type Site } from "./Site.ts"

/** How many clients append, and how many docks report. */
const appenders = 3
const docks = 2

/** How many documents an order takes before the next begins, and how many pallets a shipment before it departs. */
const perOrder = 12
const perShipment = 5

/** Between two tries of a request, in milliseconds: less patient than `Retry-After` asks, to find more. */
const retryMillis = 60

/** Between two requests of a client: the machine has to do other things too. */
const paceMillis = 8

/** What there was to do. */
export interface Counts {
  /** Requests that were acknowledged. */
  acknowledged: number
  /** Tries that were refused with 503, or for a key that is in use. */
  busy: number
  /** Those of them that were refused because the database was away. */
  away: number
  /** Tries without an answer. */
  lost: number
  /** Tries that a client in a hurry did not wait for. */
  left: number
}

/** The clients of one site. */
export class Workload {
  readonly service: Service
  readonly counts: Counts = { acknowledged: 0, busy: 0, away: 0, lost: 0, left: 0 }
  /** What was answered and never should be. */
  readonly wrong: Array<string> = []
  readonly #random: Random
  readonly #hurry: Random
  readonly #documents: Array<SentDocument> = []
  readonly #events: Array<SentEvent> = []
  readonly #departed: Array<string> = []
  readonly #followed: Array<ShownMessage> = []
  readonly #customer: WebhookCustomer
  readonly #leaving = new AbortController()
  readonly #lastIds = new Map<string, number>()
  readonly #watchers = new Set<() => void>()
  #following: Promise<void> = Promise.resolve()
  #isPaused = true
  #working: ReadonlyArray<Promise<void>> = []
  #number = 0

  private constructor(site: Site, random: Random, customer: WebhookCustomer) {
    this.service = new Service(site)
    this.#random = random
    this.#hurry = random.split("hurry")
    this.#customer = customer
  }

  /** Sets up the endpoint of the customer and the follower, on a server that serves. */
  static async open(site: Site, random: Random): Promise<Workload> {
    const customer = await WebhookCustomer.open()
    const workload = new Workload(site, random, customer)
    await workload.service.ask(
      "operator",
      "POST",
      "/v1/operator/webhook-endpoints",
      JSON.stringify({
        business: "acme",
        baseUrl: customer.baseUrl,
        messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
        authentication: { type: "none" },
        enabled: true
      })
    )
    workload.#following = workload.#follow(site)
    return workload
  }

  /** What clients, follower and customer know by now. */
  get known(): Known {
    return {
      documents: this.#documents,
      events: this.#events,
      departed: this.#departed,
      followed: this.#followed,
      delivered: this.#customer.received.map(({ path, payload, webhookId }) =>
        messageOf(
          Number(webhookId.replace("msg_", "")),
          path === "/api/palletEvent" ? "PALLET_EVENT" : "SHIPMENT_COMPLETE",
          payload
        )
      )
    }
  }

  /** Lets the clients work. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#working = [
      ...Array.from({ length: appenders }, (_, at) => this.#append(`W${at}`)),
      ...Array.from({ length: docks }, (_, at) => this.#load(`L${at}`))
    ]
  }

  /** Waits until each client has its answer, and lets none begin anew. */
  async pause(): Promise<void> {
    this.#isPaused = true
    await Promise.all(this.#working)
    this.#working = []
  }

  /** Waits until the counts are as said, as long as given; whether they are. */
  until(holds: (counts: Counts) => boolean, millis: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (result: boolean) => {
        clearTimeout(timer)
        this.#watchers.delete(look)
        resolve(result)
      }
      const timer = setTimeout(() => end(false), millis)
      const look = () => {
        if (holds(this.counts)) end(true)
      }
      this.#watchers.add(look)
      look()
    })
  }

  /** Waits until follower and customer have every message up to this one, as long as given; whether they have. */
  async hasAll(ids: ReadonlyArray<number>, millis: number): Promise<boolean> {
    const deadline = performance.now() + millis
    for (;;) {
      const { delivered, followed } = this.known
      const sent = new Set(delivered.map(({ id }) => id))
      if (ids.every((id) => sent.has(id)) && (followed.at(-1)?.id ?? 0) >= (ids.at(-1) ?? 0)) return true
      if (performance.now() > deadline) return false
      await pause(10)
    }
  }

  /** Ends clients, follower and customer. */
  async close(): Promise<void> {
    this.#isPaused = true
    this.#leaving.abort()
    await Promise.all([...this.#working, this.#following])
    this.#customer.close()
  }

  async #follow({ baseUrl }: Site): Promise<void> {
    const books = await Books.open({
      log: "acme",
      store: { load: (log) => Promise.resolve(beginning(log)), save: () => Promise.resolve() },
      onMessage: ({ id, message, messageType }) => {
        this.#followed.push(messageOf(id, messageType, message))
      }
    })
    const follower = new Follower({
      baseUrl,
      authUrl: baseUrl,
      business: "acme",
      facility: undefined,
      clientId: "acme-client",
      clientSecret: "acme-client-secret",
      books,
      pageSize: 50,
      firstWaitMillis: 50,
      longestWaitMillis: 500
    })
    await follower.run(this.#leaving.signal).catch((error: unknown) => {
      this.wrong.push(`the follower gave up: ${String(error)}`)
    })
  }

  /** Appends documents to one order after another. */
  async #append(name: string): Promise<void> {
    const random = this.#random.split(`${name} ${this.#number++}`)
    while (!this.#isPaused) {
      const order = `${name}-${this.#number++}`
      for (let at = 0; at < perOrder && !this.#isPaused; at++) {
        const lpns = Array.from({ length: random.int(1, 4) }, (_, item) => `${order}-${at}-${item}`)
        await this.#document(name, order, lpns, random.chance(0.1) ? undefined : `${order}-${at}`)
        await pause(paceMillis)
      }
    }
  }

  /** Sends a document, once without a key, else until it is answered; the id of its shipment. */
  async #document(
    name: string,
    order: string,
    lpns: ReadonlyArray<string>,
    key: string | undefined
  ): Promise<string | undefined> {
    const body = JSON.stringify({
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      orderNumber: order,
      orderItemUpdateStrategy: "APPEND",
      items: lpns.map((lpn) => ({ lpn, sku: "SKU-1", quantity: 1, quantityUnit: "CASE", description }))
    })
    const once = () => this.#try("acme-client", "/v1/documents", body, key)
    const answer = key === undefined ? doneOf(await once()) : await this.#insist(once)
    const created = (answer?.["created"] ?? []) as ReadonlyArray<
      { readonly type: string; readonly id: string; readonly reference: string }
    >
    const ids = Object.fromEntries(
      created.filter(({ type }) => type === "ORDER_ITEM").map(({ id, reference }) => [reference, id])
    )
    this.#documents.push({ order, lpns, acknowledged: answer !== undefined, ids })
    for (const lpn of lpns) if (answer !== undefined) this.#grows(`item ids of ${name}`, Number(ids[lpn]))
    return (answer?.["shipment"] as { readonly id: number } | undefined)?.id.toString()
  }

  /** Loads one shipment after another, pallet by pallet, and lets it depart. */
  async #load(name: string): Promise<void> {
    while (!this.#isPaused) {
      const order = `${name}-${this.#number++}`
      const lpns = Array.from({ length: perShipment }, (_, at) => `${order}-${at}`)
      const shipmentId = await this.#document(name, order, lpns, order)
      if (shipmentId === undefined) return
      for (const lpn of lpns) {
        if (this.#isPaused) return
        await this.#event(name, shipmentId, lpn)
        await pause(paceMillis)
      }
      const path = `/v1/shipments/${shipmentId}/depart`
      if (await this.#insist(() => this.#try("tower", path, "{}")) !== undefined) {
        this.#departed.push(shipmentId)
      }
    }
  }

  async #event(name: string, shipmentId: string, lpn: string): Promise<void> {
    const body = JSON.stringify({
      eventId: `event-${lpn}`,
      business: "acme",
      facility: "east",
      dockSlug: "D1",
      direction: "LOADING",
      occurredAt: new Date().toISOString(),
      shipmentId: Number(shipmentId),
      labels: [{ name: "lpn", value: lpn }]
    })
    const answer = await this.#insist(() => this.#try("tower", "/v1/pallet-events", body))
    if (answer === undefined) return
    const messageId = Number(answer["messageId"])
    this.#events.push({ lpn, shipmentId, messageId })
    this.#grows(`message ids of ${name}`, messageId)
  }

  /** Tries until it is done; `undefined` when it never will be. */
  async #insist(once: () => Promise<Outcome>): Promise<Body | undefined> {
    for (;;) {
      const outcome = await once()
      if (outcome.type === "done") return outcome.body
      if (outcome.type === "wrong" || this.#leaving.signal.aborted) return undefined
      await pause(retryMillis)
    }
  }

  async #try(client: Client, path: string, body: string, key?: string): Promise<Outcome> {
    // Some clients hang up just when it is done, which is what keys are for.
    const isHurried = this.#hurry.chance(0.05)
    const millis = isHurried ? this.#hurry.int(1, 20) : patience
    const outcome = await this.service.send(client, "POST", path, body, key, millis)
    if (outcome.type === "done") this.counts.acknowledged++
    else if (outcome.type === "busy") {
      this.counts.busy++
      if (outcome.code === "STORAGE_UNAVAILABLE") this.counts.away++
    } else if (outcome.type === "lost") this.counts[isHurried ? "left" : "lost"]++
    else this.wrong.push(outcome.text)
    this.#watchers.forEach((look) => look())
    return outcome
  }

  /** Ids go on: what is asked for later has a higher one, whatever was restarted between. */
  #grows(what: string, id: number): void {
    const last = this.#lastIds.get(what) ?? 0
    if (!(id > last)) this.wrong.push(`${what} went from ${last} to ${id}`)
    this.#lastIds.set(what, id)
  }
}

/** Fills pages: a disk that is full is to be noticed soon. */
const description = "x".repeat(200)

const doneOf = (outcome: Outcome): Body | undefined => outcome.type === "done" ? outcome.body : undefined
