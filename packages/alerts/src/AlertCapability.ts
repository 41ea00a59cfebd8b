/**
 * Alerts as a capability (D26): a rule of a facility tells people about incidents by e-mail, Slack or Teams. This module also defines the
 * kinds of incidents of the contract (D26.2). Other capabilities add their own kinds.
 */
import { example } from "@dockline/core/access/Operation"
import * as Capability from "@dockline/core/capability/Capability"
import { eachMessage, makeOperatorPart, occurredAt } from "@dockline/core/capability/Capability"
import type { Incident, IncidentKinds } from "@dockline/core/capability/Capability"
import { payloadOf } from "@dockline/core/messages/Message"
import type { Message } from "@dockline/core/messages/Message"
import { dashboardOf, MovementSettings } from "@dockline/core/movement/Movement"
import { shipmentUrl } from "@dockline/core/movement/ShipmentMessage"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Option, Schema } from "effect"
import { alertRuleOperations, alertRuleOperationsWith } from "./domain/AlertRule.ts"
import { AlertRules } from "./domain/AlertRules.ts"
import { AlertStore } from "./domain/AlertStore.ts"
import type { PalletFacts } from "./domain/AlertStore.ts"
import recorded from "./domain/answers.json" with { type: "json" }
import * as MemoryAlerts from "./domain/MemoryAlerts.ts"

/** The most pallets in the text of a notice. */
const palletLimit = 10

const Departure = Schema.Struct({
  url: Schema.String,
  shipmentNumber: Schema.String,
  discrepancies: Schema.Array(Schema.Struct({ kind: Schema.String, lpn: Schema.String }))
})

const PalletEvent = Schema.Struct({ url: Schema.String, servicePalletId: Schema.String })

const departureOf = Schema.decodeUnknownOption(Departure)
const palletEventOf = Schema.decodeUnknownOption(PalletEvent)

/** The verdicts that cause no alert. */
const fineVerdicts = new Set(["EXPECTED", "REPEATED"])

const shortDeparture = (message: Message) => {
  const payload = payloadOf(message)
  const departure = Option.getOrUndefined(departureOf(payload))
  const missing = departure?.discrepancies.filter(({ kind }) => kind === "SHORT") ?? []
  if (departure === undefined || missing.length === 0) return undefined
  const names = missing.slice(0, palletLimit).map(({ lpn }) => lpn).join(", ")
  const more = missing.length > palletLimit ? ` and ${missing.length - palletLimit} more` : ""
  const count = missing.length === 1 ? "1 expected pallet is" : `${missing.length} expected pallets are`
  return {
    key: `departure:${message.shipmentId}`,
    facility: message.facility,
    at: occurredAt(message, payload),
    title: `Short at departure: shipment ${departure.shipmentNumber}`,
    text: `${count} missing: ${names}${more}`,
    url: departure.url
  }
}

const wrongPallet = (message: Message, facts: PalletFacts | undefined) => {
  const payload = payloadOf(message)
  const event = Option.getOrUndefined(palletEventOf(payload))
  if (event === undefined || facts === undefined || fineVerdicts.has(facts.verdict.kind)) return undefined
  const { dock, lpn, shipmentNumber, verdict } = facts
  return {
    key: `pallet:${event.servicePalletId}`,
    facility: message.facility,
    at: occurredAt(message, payload),
    title: `Wrong pallet at dock ${dock}: ${lpn === "" ? "without LPN" : lpn}, shipment ${shipmentNumber}`,
    text: verdict.text,
    url: event.url
  }
}

const wrongPallets = Effect.map(AlertStore, ({ pallets }) => ({
  types: ["PALLET_EVENT"],
  ofMessages: (business: string, messages: ReadonlyArray<Message>) =>
    Effect.map(
      pallets(
        business,
        messages.map((message) => ({
          messageId: message.id,
          shipmentId: message.shipmentId,
          palletId: Number(payloadOf(message)["servicePalletId"] ?? 0)
        }))
      ),
      (facts) =>
        new Map(messages.flatMap((message) => {
          const incident = wrongPallet(message, facts.get(message.id))
          return incident === undefined ? [] : [[message.id, incident] as const]
        }))
    )
}))

/** Makes a source of incidents from rows of the store, with links to the dashboard. */
const storedIncidents = <Row, E>(
  load: (
    store: AlertStore["Service"],
    business: string,
    since: Timestamp.Timestamp
  ) => Effect.Effect<ReadonlyArray<Row>, E>,
  incidentOf: (row: Row, dashboard: string) => Incident
) =>
  Effect.map(Effect.all([AlertStore, MovementSettings]), ([store, settings]) => ({
    since: (business: string, time: Timestamp.Timestamp) =>
      Effect.map(
        load(store, business, time),
        (rows) => rows.map((row) => incidentOf(row, dashboardOf(settings)))
      )
  }))

const detentions = storedIncidents(
  (store, business, since) => store.detentions(business, since),
  ({ arrivedAt, detentionMinutes, dock, facility, shipmentId, shipmentNumber }, dashboard) => ({
    key: `detention:${shipmentId}`,
    facility,
    at: Timestamp.fromMillis(Date.parse(arrivedAt) + detentionMinutes * 60_000),
    title: `Truck over its limit${dock === "" ? "" : ` at dock ${dock}`}: shipment ${shipmentNumber}`,
    text: `It has been here for more than ${detentionMinutes} minutes, which is the limit of the facility`,
    url: shipmentUrl(dashboard, shipmentId)
  })
)

const failingEndpoints = storedIncidents(
  (store, business, since) => store.failingEndpoints(business, since),
  ({ baseUrl, facility, failingSince, id }, dashboard) => ({
    key: `endpoint:${id}:${failingSince}`,
    facility,
    at: failingSince,
    title: `Webhook endpoint ${id} fails`,
    text: `${baseUrl} takes no messages; they wait until it does`,
    url: `${dashboard}/webhooks/${id}`
  })
)

/** The kinds of incidents of the contract. */
const alertIncidents = {
  WRONG_PALLET: { about: "a pallet that should not go on", source: wrongPallets },
  SHORT_DEPARTURE: {
    about: "a shipment that departed without expected pallets",
    source: Effect.succeed(eachMessage(["SHIPMENT_DISCREPANCIES"], shortDeparture))
  },
  DETENTION: {
    about: "a truck that stands at its dock beyond the limit of the facility",
    source: detentions
  },
  ENDPOINT_FAILING: { about: "a webhook endpoint that takes no messages", source: failingEndpoints }
} as const satisfies IncidentKinds<AlertStore>

/** The requests of operators. */
export const operatorRequests = {
  setAlertRule: {
    mail: example("Wrong pallets and trucks beyond their limit by e-mail, gathered at night", {
      facility: "east",
      kinds: ["DETENTION", "WRONG_PALLET"],
      channel: "EMAIL",
      to: ["shift@example.com"],
      quietFrom: "22:00",
      quietTo: "06:00"
    }),
    slack: example("Short departures to a channel of Slack, every quarter of an hour at most", {
      facility: "east",
      kinds: ["SHORT_DEPARTURE"],
      channel: "SLACK",
      url: "https://hooks.slack.example/services/T0/B0/secret",
      digestMinutes: 15
    })
  }
} as const

/** Alerts about incidents. */
export const alerts = Capability.make("alerts", {
  title: "Alerts",
  description: "Tell people of what goes wrong, by e-mail, Slack and Teams",
  operations: {},
  services: AlertRules.layer,
  handlers: Effect.succeed({}),
  memory: MemoryAlerts.memory,
  answers: {},
  incidents: alertIncidents,
  audit: ["ALERT_RULE_SET", "ALERT_RULE_REMOVED", "ALERT_RULE_TESTED"],
  operators: makeOperatorPart({
    name: "alertRules",
    title: "Operator: alerts",
    description: "Which incidents people are told of, to whom and when",
    operations: alertRuleOperations,
    withWords: alertRuleOperationsWith,
    handlers: AlertRules,
    requests: operatorRequests,
    answers: recorded.operatorAnswers
  })
})
