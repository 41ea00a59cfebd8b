/**
 * The declared operations of a service, as values, and the words that capabilities add to them (ADR 31): types of messages and of
 * outboxes, actions of operators, profiles of payloads, kinds of incidents, and names of counts of shipments. Importing this module loads
 * no service.
 */
import { Effect, Layer, Record } from "effect"
import { auditActions } from "../access/AuditLog.ts"
import type { OpenWords } from "../access/OpenWords.ts"
import * as Operation from "../access/Operation.ts"
import { operations } from "../operations/Operations.ts"
import { contractProfile, PayloadProfiles } from "../places/MessageField.ts"
import type { PayloadProfile } from "../places/MessageField.ts"
import { messageTypes, messageTypesOf } from "../values/Vocabulary.ts"
import { MessageKinds, messageKinds, Outboxes } from "../webhooks/MessageKinds.ts"
import type { Kinds, OutboxKinds } from "../webhooks/MessageKinds.ts"
import { AllShipmentCounts, IncidentSources } from "./Capability.ts"
import * as Capability from "./Capability.ts"
import type { AnyOperatorPart, IncidentKinds, OperatorTable } from "./Capability.ts"
import * as Extension from "./Extension.ts"

type Part = Pick<Capability.Any, "messages" | "outbox" | "audit" | "payloadProfiles" | "counts" | "incidents">

const addedTypes = (capabilities: ReadonlyArray<Part>): ReadonlyArray<string> =>
  capabilities.flatMap(({ messages = {} }) => Object.keys(messages))

/** The outboxes of these capabilities. */
export const outboxesOf = (capabilities: ReadonlyArray<Part>): OutboxKinds =>
  Object.assign({}, ...capabilities.map(({ outbox }) => outbox))

/** The payload profiles of the contract and of these capabilities. */
export const profilesOf = (
  capabilities: ReadonlyArray<Part>
): readonly [PayloadProfile, ...ReadonlyArray<PayloadProfile>] => [
  contractProfile,
  ...capabilities.flatMap(({ payloadProfiles = [] }) => payloadProfiles)
]

const incidentsOf = (capabilities: ReadonlyArray<Part>): IncidentKinds =>
  Object.assign({}, ...capabilities.map(({ incidents }) => incidents))

/** The words of the contract and of these capabilities. */
export const wordsOf = (capabilities: ReadonlyArray<Part>): OpenWords => {
  const types = [...messageTypes, ...addedTypes(capabilities)]
  const outboxes = outboxesOf(capabilities)
  return {
    messageTypes: types,
    webhookTypes: [...types, ...Object.keys(outboxes)],
    outboxes: Record.map(outboxes, ({ about }) => about),
    incidents: Record.map(incidentsOf(capabilities), ({ about }) => about),
    auditActions: [...auditActions, ...capabilities.flatMap(({ audit = [] }) => audit)],
    payloadProfiles: profilesOf(capabilities).map(({ name }) => name),
    shipmentCounts: capabilities.flatMap(({ counts }) => counts?.names ?? [])
  }
}

/** The message types of the contract and of these capabilities. */
export const kindsOf = (capabilities: ReadonlyArray<Part>): Kinds =>
  Object.assign({}, messageKinds, ...capabilities.map(({ messages }) => messages))

/**
 * Provides the services of the contract with what these capabilities add: types of messages and of outboxes, profiles of payloads, sources
 * of incidents, and counts of shipments.
 */
export const layer = <const Capabilities extends Capability.List>(capabilities: Capabilities) =>
  Layer.mergeAll(
    messageTypesOf(addedTypes(capabilities)),
    Layer.succeed(MessageKinds, kindsOf(capabilities)),
    Layer.succeed(Outboxes, outboxesOf(capabilities)),
    Layer.succeed(PayloadProfiles, profilesOf(capabilities)),
    Layer.effect(
      AllShipmentCounts,
      Effect.forEach(
        capabilities.flatMap(({ counts }) => counts === undefined ? [] : [counts]),
        ({ countsOf, names }) => Effect.map(countsOf, (countsOf) => ({ names, countsOf }))
      )
    ),
    Layer.effect(
      IncidentSources,
      Effect.map(
        Effect.forEach(
          Object.entries(incidentsOf(capabilities)),
          ([kind, { source }]) => Effect.map(source, (source) => [kind, source] as const)
        ),
        (entries) => new Map(entries)
      )
    )
    // The cast restores the ports of the capabilities, because the loops lose their types.
  ) as Layer.Layer<never, never, Capability.PortsOf<Capabilities>>

const ofContract: Readonly<Record<string, Operation.Any>> = operations

/** The operations of the contract and of capabilities, as capabilities extend them, by the names of their methods. */
export const declaredOperations = (
  capabilities: Capability.List
): Readonly<Record<string, Operation.Any>> =>
  Object.fromEntries(
    Object.entries({ ...ofContract, ...Capability.operationsOf(capabilities) }).map(([method, operation]) => [
      method,
      Operation.withWords(
        Extension.declarationOf(operation, Capability.extensionsOf(capabilities, method)),
        wordsOf(capabilities)
      )
    ])
  )

/** The operator parts of capabilities. Their operations have the words of all these capabilities. */
export const operatorPartsOf = (capabilities: Capability.List): ReadonlyArray<AnyOperatorPart> =>
  capabilities.flatMap(({ operators }) =>
    operators === undefined
      ? []
      : [{ ...operators, operations: operators.withWords?.(wordsOf(capabilities)) ?? operators.operations }]
  )

/** The operations of the operator parts of capabilities, by their names. */
export const declaredOfOperators = (capabilities: Capability.List): OperatorTable =>
  Object.assign({}, ...operatorPartsOf(capabilities).map(({ operations }) => operations))
