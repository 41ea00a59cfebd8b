/**
 * EPCIS events (D24): the businesses that publish them, and readers that read all of them page by page.
 */
import { epcisEventOf } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"
import type { Actor } from "./Actor.ts"
import { operate } from "./Client.ts"
import type { Client, Request } from "./Client.ts"

/** Businesses that publish their events. */
export const publishers: ReadonlyArray<string> = ["acme", "globex"]

export const publishRequest = (business: string): Request =>
  operate(`events of ${business}`, {
    method: "PUT",
    path: `/v1/operator/businesses/${business}/epcis`,
    body: { companyPrefixes: [], publishes: true }
  })

/** The events of a list of them. */
const eventsOf = (list: unknown): ReadonlyArray<string> =>
  asList(list).map(asRecord).map(({ errorDeclaration, eventID }) =>
    epcisEventOf(String(eventID), errorDeclaration !== undefined)
  )

/** The events of a document for capture. */
export const eventsIn = (document: unknown): ReadonlyArray<string> =>
  eventsOf(asRecord(asRecord(document)["epcisBody"])["eventList"])

/** The events of an answer to a query. */
const eventsOfAnswer = (document: unknown): ReadonlyArray<string> => {
  const results = asRecord(asRecord(asRecord(document)["epcisBody"])["queryResults"])
  return eventsOf(asRecord(results["resultsBody"])["eventList"])
}

const path = "/v1/epcis/events"

let scans = 0

/** Reads all events of the business of a client page by page, and repeats each request until it is answered or the time is over. */
export const scan = async (client: Client, perPage: number, isOver: () => boolean): Promise<void> => {
  const { account: { business }, site: { recorder } } = client
  const [scan, begun] = [++scans, recorder.history.length]
  for (let query: string | undefined = `?perPage=${perPage}`; query !== undefined;) {
    const { body, next, outcome } = await client.settle(
      operate(`${path}${query}`, { path: `${path}${query}` }),
      isOver
    )
    // Messages may have expired meanwhile: the reader begins anew.
    if (outcome.type !== "ok") return
    query = next
    recorder.record({
      type: "page",
      scan,
      business,
      begun,
      events: eventsOfAnswer(body),
      isLast: next === undefined
    })
  }
}

/** Reads all events again and again, in pages of different lengths. */
export const readEvents = (actor: Actor): Promise<void> =>
  actor.repeat(() => scan(actor, actor.random.int(3, 60), actor.state.isOver), 1500)
