/**
 * Everything that clients do in a run, at both businesses and all their facilities: documents, pallets, reads,
 * webhooks, and readers of the log.
 */
import type { Random } from "../../../Random.ts"
import { messageTypes } from "../history/History.ts"
import type { Customer } from "./Customer.ts"
import { account } from "./Customer.ts"
import type { Endpoint } from "./Customer.ts"
import { Readers } from "./Readers.ts"
import { callOff } from "./WorkloadCancel.ts"
import { Client, operator, post } from "./WorkloadClient.ts"
import type { Account, Request, Site } from "./WorkloadClient.ts"
import { contend, growSet, writeRegister } from "./WorkloadDocuments.ts"
import { handleNotice, partnerOf, partnerRequest, partners, readOutbox, sendNotices } from "./WorkloadEdi.ts"
import { reportAtRandom } from "./WorkloadExceptions.ts"
import { handleShipment, workAtDock } from "./WorkloadPallets.ts"
import { readAtRandom, readRequest } from "./WorkloadReads.ts"
import { State } from "./WorkloadState.ts"

/** What a workload is made of. */
export interface WorkloadOptions extends Site {
  readonly customer: Customer
  readonly random: Random
  /** How long the readers sleep at most that are away for some time, in milliseconds; 0 for no such readers. */
  readonly longestSleep?: number
}

/** How long requests that are under way have to become known when the workload is stopped. */
const settlingMillis = 30_000

const places: ReadonlyArray<Account> = [
  { clientId: "acme-client", business: "acme", facility: "east" },
  { clientId: "acme-east-client", business: "acme", facility: "east" },
  { clientId: "acme-client", business: "acme", facility: "west" },
  { clientId: "globex-client", business: "globex", facility: "main" }
]

/** The endpoint as the operator sets it up: from the first message of the log on. */
const endpointRequest = (
  { baseUrl, business, character, endpoint, facility, signingSecret }: Endpoint
): Request => ({
  asked: { operation: "operate", target: `endpoint ${endpoint}` },
  message: post("/v1/operator/webhook-endpoints", {
    business,
    ...(facility === null ? {} : { facility }),
    baseUrl,
    messageTypes,
    authentication: character === "token"
      ? { type: "token", loginUrl: `${baseUrl}/login`, ...account }
      : { type: "none" },
    signingSecret,
    enabled: true,
    fromId: 1
  })
})

/** Clients at work. */
export class Workload {
  readonly #site: Site
  readonly #customer: Customer
  readonly #random: Random
  readonly #readers: Readers
  #state: State
  #running: ReadonlyArray<Promise<void>> = []
  #turn = 0

  private constructor(site: Site, { customer, longestSleep, random }: WorkloadOptions) {
    this.#site = site
    this.#customer = customer
    this.#random = random
    this.#state = new State(site)
    this.#readers = new Readers(site, random.split("readers"), longestSleep)
    this.#beginAll()
  }

  /** Sets up what clients need, on a system that is well, and lets them begin. */
  static async start(options: WorkloadOptions): Promise<Workload> {
    const { baseUrl, customer, random, recorder, urls } = options
    const site = { baseUrl, recorder, urls }
    // An endpoint is not made twice: its answer is waited for.
    const client = new Client(site, operator, random.split("operator"), settlingMillis)
    for (const endpoint of customer.endpoints) {
      const { outcome } = await client.attempt(endpointRequest(endpoint))
      if (outcome.type !== "ok") {
        throw new Error(`Endpoint ${endpoint.endpoint} cannot be made: ${JSON.stringify(outcome)}`)
      }
      const { business, facility } = endpoint
      site.recorder.record({ type: "endpoint", endpoint: endpoint.endpoint, business, facility })
    }
    for (const partner of partners) {
      const { outcome } = await client.attempt(partnerRequest(partner))
      if (outcome.type !== "ok") {
        throw new Error(`Partner ${partner.partner} cannot be made: ${JSON.stringify(outcome)}`)
      }
      const { clientId, ...told } = partner
      site.recorder.record({ type: "partner", client: clientId, ...told })
    }
    return new Workload(site, options)
  }

  /** Ends the writers at once, whatever becomes of what they have begun. Readers go on, and are not restarted. */
  async halt(): Promise<void> {
    this.#state.stop(0)
    this.#readers.settle()
    await Promise.all(this.#running)
  }

  /** Has writers begin anew that know nothing of what others wrote before; readers are restarted again. */
  resume(): void {
    this.#state = new State(this.#site, this.#state)
    this.#readers.unsettle()
    this.#beginAll()
  }

  /** Lets writers begin nothing new, and waits until the outcome of what they have begun is known, or they give up. */
  async stop(): Promise<void> {
    this.#state.stop(settlingMillis)
    await Promise.all(this.#running)
    this.#readers.settle()
    this.#customer.calm()
  }

  /**
   * Does something new at each instance and place, and reads through each instance what was written: on a system that
   * is well all of it succeeds. Readers and customers are to see it.
   */
  async probe(): Promise<void> {
    const random = this.#random.split("probe")
    const state = this.#state
    state.stop(settlingMillis)
    await Promise.all(this.#site.urls.flatMap((url, instance) =>
      places.map(async (place) => {
        const own = random.split(`${place.clientId} ${place.facility} ${instance}`)
        const partner = partnerOf(place)
        const isHandled = await handleShipment(this.#dock(place, own), state, instance) &&
          (partner === undefined ||
            await handleNotice(this.#dock(place, own.split("edi")), state, partner, instance))
        if (!isHandled) {
          const text = `a shipment of ${place.business} ${place.facility} cannot be handled at ${url}`
          this.#site.recorder.record({ type: "strange", client: "probe", text })
        }
        const client = this.#client(place, own.split("reads"))
        for (const shipment of state.shipmentsOf(place)) {
          await client.settle({ ...readRequest(client, shipment), instance }, state.isOver)
        }
      })
    ))
  }

  /** Ends the readers. */
  async close(): Promise<void> {
    await this.#readers.close()
  }

  #client(place: Account, random: Random): Client {
    return new Client(this.#site, place, random)
  }

  #dock(place: Account, random: Random) {
    return {
      customer: this.#client(place, random.split("customer")),
      tower: this.#client({ ...place, clientId: "tower" }, random.split("tower"))
    }
  }

  #beginAll(): void {
    const turn = this.#turn++
    this.#running = places.flatMap((place, at) =>
      this.#begin(place, this.#random.split(turn === 0 ? `place ${at}` : `place ${at}, turn ${turn}`))
    )
  }

  #begin(place: Account, random: Random): ReadonlyArray<Promise<void>> {
    const state = this.#state
    const client = (name: string) => this.#client(place, random.split(name))
    const { business, facility } = place
    const partner = partnerOf(place)
    const register = {
      shipmentNumber: state.name(business, facility, "S"),
      orders: [state.name(business, facility, "O"), state.name(business, facility, "O")],
      items: random.int(2, 40)
    }
    return [
      writeRegister(client("register"), state, register),
      growSet(client("set"), state),
      workAtDock(this.#dock(place, random.split("dock")), state),
      reportAtRandom(client("exceptions"), state),
      callOff(this.#dock(place, random.split("cancel")), state),
      readAtRandom(client("reads"), state),
      ...(partner === undefined ? [] : [
        // Two at once, so that control numbers are contended for.
        sendNotices(this.#dock(place, random.split("notices")), state, partner),
        sendNotices(this.#dock(place, random.split("more notices")), state, partner),
        readOutbox(client("outbox"), state, partner)
      ]),
      ...(place.clientId === "acme-east-client"
        ? []
        : [contend([client("first"), client("second"), client("third")], state)])
    ]
  }
}
