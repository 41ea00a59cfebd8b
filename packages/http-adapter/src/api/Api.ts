/**
 * The REST interface as data: paths, parameters, bodies, answers. The server, the OpenAPI document and clients are derived from it
 * (WIRE.md; D5, D10, D12.3).
 *
 * Guarantee: importing this module loads only declarations of this folder and of core, and no server.
 */
import type * as Operation from "@dockline/core/access/Operation"
import type * as Capability from "@dockline/core/capability/Capability"
import { declaredOperations, operatorPartsOf, wordsOf } from "@dockline/core/capability/DeclaredOperations"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { operations } from "@dockline/core/operations/Operations"
import type { Operations } from "@dockline/core/operations/Operations"
import { operatorOperations, operatorOperationsOf } from "@dockline/core/operator/OperatorOperations"
import { StorageUnavailable, Unauthenticated } from "@dockline/core/values/Errors"
import { MetricsForbidden, Stopping } from "@dockline/core/values/RequestErrors"
import { defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { Record, Schema, Struct } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about, problems, text } from "./ApiSchemas.ts"
import {
  keylessEndpoint,
  listEndpoint,
  readEndpoint,
  securedGroup,
  uploadEndpoint,
  writeEndpoint
} from "./Endpoints.ts"
import { Authorization, partsOf } from "./Parts.ts"
import type { RestCapability } from "./Parts.ts"
import { Keys, Tokens, WebhookKeys } from "./TokenApi.ts"

const status = Schema.Literals(["ok"]).annotate({ description: "Always ok; else the answer is a problem" })

const Alive = Schema.Struct({ status }).annotate({ identifier: "Health" })

const Ready = Schema.Struct({
  status,
  warnings: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Warnings for operators, such as about a replication of the database that can lose data"
    })
  )
}).annotate({ identifier: "Ready" })

/** The group of the documents that these rules read. */
export const documentsOf = (rules: DocumentInput.DocumentRules) =>
  securedGroup(
    "documents",
    "Documents",
    "Create and update shipments, orders and items by sending documents, in JSON or XML, and read the record of documents",
    uploadEndpoint(operations.submit, {
      headers: {
        prefer: Schema.optionalKey(
          text(
            "`return=minimal` for the short answer; `dry-run` to write nothing, as with dryRun. Both: `return=minimal, dry-run`."
          )
        ),
        "if-match": Schema.optionalKey(
          text(
            "The ETag of the shipment as it was read: if it has changed since, nothing is done, and the answer is 412."
          )
        ),
        "if-none-match": Schema.optionalKey(
          text("`*`: if one of the orders exists at the facility, nothing is done, and the answer is 412.")
        )
      },
      query: { dryRun: Schema.optionalKey(Schema.Boolean) },
      payload: DocumentInput.schema(rules)
    }),
    listEndpoint(operations.documents),
    readEndpoint(operations.document)
  )

class Documents extends documentsOf(DocumentInput.defaultRules) {}

const endpointOf = (
  operation: Operation.AnyRead | Operation.AnyList | Operation.AnyWrite | Operation.AnyKeylessWrite
) => {
  switch (operation.kind) {
    case "read":
      return readEndpoint(operation)
    case "list":
      return listEndpoint(operation)
    case "write":
      return operation.takesKey ? writeEndpoint(operation) : keylessEndpoint(operation)
  }
}

/** The endpoints of a non-empty list of operations. */
const endpointsOf = (declarations: Readonly<Record<string, Parameters<typeof endpointOf>[0]>>) => {
  const [first, ...others] = Object.values(declarations).map(endpointOf)
  return [first!, ...others] as const
}

/** The operations in other groups. All other operations are in the group of shipments, so that a new operation is served. */
const beside = {
  documents: ["submit", "documents", "document"],
  pallets: ["recordPallet", "shipmentPallets", "pallet", "pallets"],
  messages: ["messages"]
} as const satisfies Readonly<Record<string, ReadonlyArray<keyof Operations>>>

const ofShipments = Struct.omit(operations, Object.values(beside).flat())

class Pallets extends securedGroup(
  "pallets",
  "Pallets",
  "Report pallets that cross a dock, as towers and lift cameras do, and read pallets",
  ...endpointsOf(Struct.pick(operations, beside.pallets))
) {}

class Shipments extends securedGroup(
  "shipments",
  "Shipments and orders",
  "Read shipments and orders, and take steps of shipments: arrive, depart, link, cancel",
  ...endpointsOf(ofShipments)
) {}

class Messages extends securedGroup(
  "messages",
  "Messages",
  "Read the messages to customers: pallet messages and shipment completions",
  ...endpointsOf(Struct.pick(operations, beside.messages))
) {}

class Health extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Alive, error: problems() }).annotateMerge(
      about("Is the process up", "It answers while the process runs, whether or not the database does.")
    ),
    HttpApiEndpoint.get("readyz", "/readyz", {
      success: Ready,
      error: problems(Stopping, StorageUnavailable)
    }).annotateMerge(about(
      "Can requests be served",
      "It answers 200 while the database answers, its schema is migrated, and the service is not stopping."
    )),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText()),
      error: problems(Unauthenticated, MetricsForbidden)
    }).annotateMerge(about(
      "Read the metrics",
      "The measurements of this instance in the text format of Prometheus. With `METRICS_TOKEN` set, \
send it as bearer token; without it only the machine itself may read them, and only from a server that serves just that machine."
    ))
  )
  .annotateMerge(OpenApi.annotations({
    title: "Health",
    description: "Probes for load balancers and orchestrators"
  }))
{}

// The groups of the operations of operators (D11, D14.4). Every operation needs the permission `operator`, for its business or for the
// whole service.

class Businesses extends securedGroup(
  "businesses",
  "Operator: businesses",
  "The businesses of the service, and the fields of their messages",
  listEndpoint(operatorOperations.listBusinesses),
  keylessEndpoint(operatorOperations.createBusiness),
  readEndpoint(operatorOperations.getBusiness),
  keylessEndpoint(operatorOperations.renameBusiness),
  readEndpoint(operatorOperations.getFieldMap),
  keylessEndpoint(operatorOperations.setFieldMap)
) {}

class Facilities extends securedGroup(
  "facilities",
  "Operator: facilities and docks",
  "The sites where a business loads and unloads",
  listEndpoint(operatorOperations.listFacilities),
  keylessEndpoint(operatorOperations.createFacility),
  readEndpoint(operatorOperations.getFacility),
  keylessEndpoint(operatorOperations.updateFacility),
  listEndpoint(operatorOperations.listDocks),
  keylessEndpoint(operatorOperations.createDock)
) {}

class Clients extends securedGroup(
  "clients",
  "Operator: API clients",
  "The clients of the service, with their permissions and secrets",
  listEndpoint(operatorOperations.listClients),
  keylessEndpoint(operatorOperations.createClient),
  readEndpoint(operatorOperations.getClient),
  keylessEndpoint(operatorOperations.updateClient),
  keylessEndpoint(operatorOperations.addClientGrants),
  keylessEndpoint(operatorOperations.withdrawClientGrants),
  keylessEndpoint(operatorOperations.createSecret),
  keylessEndpoint(operatorOperations.deleteSecret)
) {}

class People extends securedGroup(
  "people",
  "Operator: people",
  "The people who may sign in to the dashboard by the OpenID Connect provider, with their permissions",
  listEndpoint(operatorOperations.listPeople),
  keylessEndpoint(operatorOperations.addPerson),
  readEndpoint(operatorOperations.getPerson),
  keylessEndpoint(operatorOperations.updatePerson),
  keylessEndpoint(operatorOperations.addPersonGrants),
  keylessEndpoint(operatorOperations.withdrawPersonGrants),
  keylessEndpoint(operatorOperations.removePerson)
) {}

class WebhookEndpoints extends securedGroup(
  "webhookEndpoints",
  "Operator: webhook endpoints",
  "The addresses at which customers receive messages, their authentication, and their progress",
  listEndpoint(operatorOperations.listWebhookEndpoints),
  keylessEndpoint(operatorOperations.createWebhookEndpoint),
  readEndpoint(operatorOperations.getWebhookEndpoint),
  keylessEndpoint(operatorOperations.updateWebhookEndpoint),
  keylessEndpoint(operatorOperations.deleteWebhookEndpoint),
  keylessEndpoint(operatorOperations.rotateSigningSecret),
  keylessEndpoint(operatorOperations.testWebhookEndpoint)
) {}

class Deliveries extends securedGroup(
  "deliveries",
  "Operator: deliveries",
  "The deliveries of messages to endpoints, and sending them again",
  listEndpoint(operatorOperations.listDeliveries),
  readEndpoint(operatorOperations.getDelivery),
  readEndpoint(operatorOperations.getMessage),
  keylessEndpoint(operatorOperations.replayDelivery),
  keylessEndpoint(operatorOperations.replayDeliveries)
) {}

class MessageLogs extends securedGroup(
  "messageLogs",
  "Operator: messages",
  "The ids of messages, after a restore",
  keylessEndpoint(operatorOperations.advanceMessages)
) {}

class Audit extends securedGroup(
  "audit",
  "Operator: audit",
  "The record of operators' changes",
  listEndpoint(operatorOperations.listAudit)
) {}

const annotations = OpenApi.annotations({
  title: "Dockline",
  version: "1",
  description: "Logistics tracking: document intake, pallet messages, shipment completion, webhooks.",
  license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
})

const ofClients = [Documents, Shipments, Pallets, Messages] as const

const ofOperators = [
  Businesses,
  Facilities,
  Clients,
  People,
  WebhookEndpoints,
  Deliveries,
  MessageLogs,
  Audit
] as const

/** The REST interface. */
export class Api extends HttpApi.make("dockline")
  .add(Tokens, ...ofClients)
  .add(...ofOperators)
  .add(Keys, WebhookKeys, Health)
  .annotateMerge(annotations)
{}

/** The REST interface without tokens and their keys, for a service with its own authentication. */
export class ApiWithoutTokens extends HttpApi.make("dockline")
  .add(...ofClients)
  .add(...ofOperators)
  .add(WebhookKeys, Health)
  .annotateMerge(annotations)
{}

const groupOf = (
  { description, name, operations, title }:
    & Pick<Capability.Any, "description" | "name" | "title">
    & { readonly operations: Readonly<Record<string, Parameters<typeof endpointOf>[0]>> },
  more: ReadonlyArray<HttpApiEndpoint.Constraint> = []
) => {
  const [first, ...others] = [...more, ...Object.values(operations).map(endpointOf)]
  return first === undefined ? [] : [securedGroup(name, title, description, first, ...others)]
}

/** A capability with its operations, including the extensions by other capabilities. */
const withExtended = (each: Capability.Any, capabilities: Capability.List) => {
  const declarations = declaredOperations(capabilities)
  return {
    ...each,
    // An extended operation keeps its kind.
    operations: Record.map(
      each.operations,
      (_, method) => declarations[method] as Parameters<typeof endpointOf>[0]
    )
  }
}

/** The endpoints of operators whose schemas have words of capabilities. */
const operatorEndpoints = (capabilities: Capability.List) => {
  const words = wordsOf(capabilities)
  return capabilities.every(({ audit, messages, payloadProfiles }) =>
      audit === undefined && messages === undefined && payloadProfiles === undefined
    )
    ? []
    : Object.values<Operation.AnyOfOperators>(operatorOperationsOf(defaultSchemes, words)).map((operation) =>
      endpointOf(operation).middleware(Authorization)
    )
}

/** The groups of an API whose operations are extended by capabilities, with the extended operations. */
const extendedGroups = (
  api: typeof Api | typeof ApiWithoutTokens,
  capabilities: Capability.List
): ReadonlyArray<HttpApiGroup.Top> => {
  const declarations = declaredOperations(capabilities)
  const ofContract: Readonly<Record<string, Operation.Any>> = operations
  const endpoints = [
    ...Object.keys(ofContract).flatMap((method) => {
      const operation = declarations[method]
      return operation === undefined || operation === ofContract[method] || operation.kind === "upload"
        ? []
        : [endpointOf(operation).middleware(Authorization)]
    }),
    ...operatorEndpoints(capabilities)
  ]
  // The union of the types of the groups loses the types of their endpoints.
  const groups = Object.values(api.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>
  return groups.flatMap((group) => {
    const own = endpoints.filter(({ identifier }) => identifier in group.endpoints)
    return own.length === 0 ? [] : [own.reduce((group, endpoint) => group.add(endpoint), group)]
  })
}

/**
 * An API with the groups of capabilities, and with the operations that capabilities extend. Its type does not have their endpoints, because
 * `DeclaredAnswers` answers all declared endpoints by their names.
 */
export const withCapabilities = <Of extends typeof Api | typeof ApiWithoutTokens>(
  api: Of,
  capabilities: ReadonlyArray<RestCapability>
): Of =>
  [
    ...extendedGroups(api, capabilities),
    ...capabilities.flatMap((each) =>
      groupOf(withExtended(each, capabilities), partsOf([each]).flatMap(({ endpoints = [] }) => endpoints))
    ),
    ...operatorPartsOf(capabilities).flatMap((part) => groupOf(part)),
    ...partsOf(capabilities).flatMap(({ group }) => group ?? [])
  ].reduce<Of>(
    // A group replaces the group of the same name.
    (api, group) => (api as unknown as HttpApi.HttpApi<"dockline">).add(group as never) as unknown as Of,
    api
  )
