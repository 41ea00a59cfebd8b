/**
 * All clients of a run, at both businesses and all their facilities: documents, pallets, reads, webhooks, alerts, and readers of the log
 * and of events.
 */
import type { Random } from "../../../Random.ts"
import { Actor, State } from "./Actor.ts"
import { ruleRequest, rules } from "./Alerts.ts"
import { Client, operate, operator } from "./Client.ts"
import type { Account, Request, Site } from "./Client.ts"
import { account } from "./Customer.ts"
import type { Customers, Endpoint } from "./Customer.ts"
import { callOff, dockOf, handleShipment, reportAtRandom, workAtDock } from "./Docks.ts"
import { contend, growSet, writeRegister } from "./Documents.ts"
import {
  causeLargeAdvice,
  handleNotice,
  partnerOf,
  partnerRequest,
  partners,
  readOutbox,
  sendLargeNotice,
  sendNotices
} from "./Edi.ts"
import { publishers, publishRequest, readEvents } from "./Epcis.ts"
import { Readers } from "./Readers.ts"
import { readAtRandom, readRequest } from "./Reads.ts"

interface WorkloadOptions extends Site {
  readonly customers: Customers
  readonly random: Random
  /** The longest sleep of sleepy readers, in milliseconds; 0 for no such readers. */
  readonly longestSleep: number
}

/** The time limit for requests in progress when the workload is stopped, in milliseconds. */
const settlingMillis = 30_000

const places: ReadonlyArray<Account> = [
  { clientId: "acme-client", business: "acme", facility: "east" },
  { clientId: "acme-east-client", business: "acme", facility: "east" },
  { clientId: "acme-client", business: "acme", facility: "west" },
  { clientId: "globex-client", business: "globex", facility: "main" }
]

/** The request that creates an endpoint, from the first message of the log on. */
const endpointRequest = ({ baseUrl, place, signingSecret }: Endpoint): Request =>
  operate(`endpoint ${place.endpoint}`, {
    path: "/v1/operator/webhook-endpoints",
    body: {
      business: place.business,
      ...(place.facility === null ? {} : { facility: place.facility }),
      baseUrl,
      messageTypes: place.types,
      signingSecret,
      enabled: true,
      fromId: 1,
      authentication: place.character === "token"
        ? { type: "token", loginUrl: `${baseUrl}/login`, ...account }
        : { type: "none" }
    }
  })

export class Workload {
  readonly #customers: Customers
  readonly #random: Random
  readonly #readers: Readers
  #state: State
  #running: ReadonlyArray<Promise<void>> = []
  #turn = 0

  private constructor(site: Site, { customers, longestSleep, random }: WorkloadOptions) {
    this.#customers = customers
    this.#random = random
    this.#state = new State(site)
    this.#readers = new Readers(site, random.split("readers"), longestSleep)
    this.#beginAll()
  }

  /** Creates the accounts and endpoints of clients, on a system that is well, and lets the clients begin. */
  static async start(options: WorkloadOptions): Promise<Workload> {
    const { baseUrl, customers, random, recorder, urls } = options
    const site = { baseUrl, recorder, urls }
    // Waits for the answer, so that an endpoint is not created twice.
    const client = new Client(site, operator, random.split("operator"), { patience: settlingMillis })
    const make = async (request: Request) => {
      const { outcome } = await client.attempt(request)
      if (outcome.type === "ok") return
      throw new Error(`${JSON.stringify(request.asked)} cannot be done: ${JSON.stringify(outcome)}`)
    }
    for (const endpoint of customers.endpoints) {
      await make(endpointRequest(endpoint))
      const { character: _, ...place } = endpoint.place
      recorder.record({ type: "endpoint", ...place })
    }
    for (const business of publishers) await make(publishRequest(business))
    for (const rule of rules) {
      await make(ruleRequest(rule))
      const { digestMinutes: _, ...told } = rule
      recorder.record({ type: "rule", ...told })
    }
    for (const partner of partners) {
      await make(partnerRequest(partner))
      const { clientId: client, ...told } = partner
      recorder.record({ type: "partner", client, ...told })
    }
    return new Workload(site, options)
  }

  /** Ends the writers at once, whatever the outcome of their requests. Readers continue, and are not restarted. */
  async halt(): Promise<void> {
    this.#state.stop(0)
    this.#readers.settle(true)
    await Promise.all(this.#running)
  }

  /** Starts new writers, which know nothing of earlier writes; readers are restarted again. */
  resume(): void {
    this.#state = new State(this.#state.site, this.#state)
    this.#readers.settle(false)
    this.#beginAll()
  }

  /** Stops writers, and waits until the outcomes of their requests are known or they give up. */
  async stop(): Promise<void> {
    this.#state.stop(settlingMillis)
    await Promise.all(this.#running)
    this.#readers.settle(true)
    this.#customers.calm()
  }

  /**
   * Writes at each instance and place, and reads this at each instance: on a system that is well all of it must succeed. Readers and
   * customers must get the messages.
   */
  async probe(): Promise<void> {
    const random = this.#random.split("probe")
    const state = this.#state
    state.stop(settlingMillis)
    await Promise.all(state.site.urls.flatMap((url, instance) =>
      places.map(async (place) => {
        const own = random.split(`${place.clientId} ${place.facility} ${instance}`)
        const actor = new Actor(state, place, own, instance)
        const partner = partnerOf(place)
        const isHandled = await handleShipment(dockOf(actor)) &&
          (partner === undefined || await handleNotice(dockOf(actor.other("edi")), partner))
        if (!isHandled) {
          const text = `a shipment of ${place.business} ${place.facility} cannot be handled at ${url}`
          state.site.recorder.record({ type: "strange", client: "probe", text })
        }
        for (const shipment of state.shipmentsOf(place)) await actor.finish(readRequest(actor, shipment), 0)
      })
    ))
  }

  async close(): Promise<void> {
    await this.#readers.close()
  }

  #beginAll(): void {
    const turn = this.#turn++
    this.#running = places.flatMap((place, at) => {
      const random = this.#random.split(turn === 0 ? `place ${at}` : `place ${at}, turn ${turn}`)
      return begin(new Actor(this.#state, place, random))
    })
  }
}

const begin = (actor: Actor): ReadonlyArray<Promise<void>> => {
  const partner = partnerOf(actor.account)
  const dock = (name: string) => dockOf(actor.other(name))
  return [
    writeRegister(actor.other("register")),
    growSet(actor.other("set")),
    workAtDock(dock("dock")),
    reportAtRandom(actor.other("exceptions")),
    callOff(dock("cancel")),
    readAtRandom(actor.other("reads")),
    ...(partner === undefined ? [] : [
      // Two at once, so that they compete for control numbers.
      sendNotices(dock("notices"), partner),
      sendNotices(dock("more notices"), partner),
      // At the same time, because the run might end before both are done one after the other.
      sendLargeNotice(dock("large notice"), partner),
      causeLargeAdvice(dock("large advice"), partner),
      readOutbox(actor.other("outbox"), partner)
    ]),
    ...(actor.account.clientId === "acme-east-client" ? [] : [
      contend(actor.other("contend")),
      readEvents(actor.other("events"))
    ])
  ]
}
