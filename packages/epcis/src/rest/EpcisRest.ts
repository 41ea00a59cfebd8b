/**
 * The query interface of EPCIS 2.0 for events, as a part of REST (D24.4).
 *
 * ```ts
 * HttpAdapter.layer(config, [epcisRest])
 * ```
 */
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import * as Field from "@dockline/core/values/Field"
import * as Timestamp from "@dockline/core/values/Timestamp"
import {
  about,
  CurrentPrincipal,
  onlyParameters,
  problems,
  respond,
  rootOf,
  secured,
  securedGroup,
  show,
  text
} from "@dockline/http-adapter/RestPart"
import type { Answering, RestPart } from "@dockline/http-adapter/RestPart"
import { typeOf } from "@dockline/wire/MediaType"
import { Context, Effect, Predicate, Record, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import recorded from "../domain/answers.json" with { type: "json" }
import { queryDocument } from "../events/EpcisEvent.ts"
import { EpcisEvents, queryErrors } from "../query/EpcisEvents.ts"
import { filters, pageParameters, parameterNames } from "../query/EventQuery.ts"

/** The name of the endpoint. */
export const queryEpcisEvents = "queryEpcisEvents"

const linkedData = "application/ld+json"

/** The media types of the answer. */
const answerTypes = ["application/json", linkedData] as const

const optional = Schema.optionalKey

const place = (description: string) => Schema.Struct({ id: text("Its URI") }).annotate({ description })

const EpcisEventSchema = Schema.Struct({
  type: text("ObjectEvent, AggregationEvent or AssociationEvent"),
  eventID: text("Its id, the same each time that it is read"),
  eventTime: Field.shownTime("When it was"),
  eventTimeZoneOffset: text("The offset of the facility's clocks from UTC at that time"),
  recordTime: Field.shownTime("When the service recorded it"),
  epcList: optional(Schema.Array(Schema.String).annotate({ description: "What passed" })),
  parentID: optional(text("The trailer, or the shipment, that has the objects of childEPCs")),
  childEPCs: optional(
    Schema.Array(Schema.String).annotate({ description: "The pallets on the truck, or unloaded from it" })
  ),
  action: text("OBSERVE, ADD or DELETE"),
  bizStep: text("loading, unloading, arriving or departing"),
  disposition: text("in_progress or in_transit"),
  readPoint: optional(place("The dock; absent if the shipment has none")),
  bizLocation: place("The facility"),
  bizTransactionList: Schema.Array(
    Schema.Struct({
      type: text("po or desadv"),
      bizTransaction: text("The URI of the order or of the shipment")
    })
  ).annotate({ description: "The orders and the shipment" }),
  errorDeclaration: optional(
    Schema.Struct({
      declarationTime: Field.shownTime("When it was declared to be wrong"),
      reason: text("did_not_occur")
    }).annotate({ description: "States that the event is wrong; absent from a valid event" })
  )
}).annotate({ identifier: "EpcisEvent", description: "An event of EPCIS 2.0 in JSON-LD." })

const document = Schema.Struct({
  "@context": Schema.Array(Schema.String).annotate({ description: "The context of JSON-LD" }),
  type: text("EPCISQueryDocument"),
  schemaVersion: text("2.0"),
  creationDate: Field.shownTime("When the answer was made"),
  epcisBody: Schema.Struct({
    queryResults: Schema.Struct({
      queryName: text("SimpleEventQuery"),
      resultsBody: Schema.Struct({
        eventList: Schema.Array(EpcisEventSchema).annotate({ description: "The events of the page" })
      }).annotate({ description: "What was found" })
    }).annotate({ description: "The results of the query" })
  }).annotate({ description: "The content of the document" })
}).annotate({ identifier: "EpcisQueryDocument", description: "The answer to a query for events." })

const endpoint = HttpApiEndpoint.get(queryEpcisEvents, "/v1/epcis/events", {
  query: {
    ...Record.map(filters, ({ description }) => optional(text(`${description}.`))),
    ...Record.map(pageParameters, (description) => optional(text(`${description}.`)))
  },
  success: [document, document.pipe(HttpApiSchema.asJson({ contentType: linkedData }))],
  error: problems(...queryErrors, ...secured)
}).annotateMerge(about(
  "Query the events of EPCIS",
  "The pallets that passed, and the shipments that arrived and departed, as events of EPCIS 2.0, at facilities where the client has \
messages:read. If more events follow, the answer has a header Link to the next page; follow it until there is none. If a pallet went back, \
its first event is repeated under the same eventID, with an errorDeclaration."
))

const headers = { vary: "accept", "gs1-epcis-version": "2.0.0", "gs1-cbv-version": "2.0.0" }

const answering = (events: EpcisEvents["Service"]): Answering => ({ query = {} }) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const principal = yield* CurrentPrincipal
    yield* onlyParameters(...parameterNames)
    const page = yield* events.query(Record.filter(query, Predicate.isString), principal)
    const value = queryDocument(page.events, yield* Timestamp.now)
    return HttpServerResponse.setHeader(
      show(rootOf(document), value, "application/json", {
        ...headers,
        ...(page.next === null ? {} : { link: linkTo(request.url, page.next) })
      }),
      "content-type",
      typeOf(request.headers["accept"], answerTypes)
    )
  }).pipe(Effect.catch(respond))

/** The `Link` header that leads to the next page of the same query. */
const linkTo = (url: string, token: string): string => {
  const parameters = new URL(url, "http://service").searchParams
  parameters.set("nextPageToken", token)
  return `<?${parameters.toString()}>; rel="next"`
}

/** The query interface of EPCIS over REST. */
export const epcisRest: RestPart = {
  name: "epcis",
  group: securedGroup("epcis", "EPCIS", "Events of EPCIS 2.0, of what passed the docks", endpoint),
  requests: {},
  answers: {
    [queryEpcisEvents]: {
      schema: "EpcisQueryDocument",
      value: recorded.answers.queryEpcisEvents,
      contentTypes: answerTypes
    }
  },
  handlers: () =>
    Effect.map(OperationRegistry, ({ services }) => [
      // The part is served only if the service has the capability, and then the registry has its services.
      [queryEpcisEvents, answering(Context.getUnsafe(services, EpcisEvents))]
    ])
}
