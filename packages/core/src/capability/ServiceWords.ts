/** The words of a service to which its capabilities add: the types of its messages, what its operators do, and its profiles of payloads (ADR 31). */
import { Layer } from "effect"
import { auditActions } from "../access/AuditEntry.ts"
import type { OpenWords } from "../access/OpenWords.ts"
import type { PayloadProfile } from "../places/PayloadProfile.ts"
import { contractProfile, PayloadProfiles } from "../places/PayloadProfile.ts"
import { messageTypes, messageTypesOf, webhookTypes } from "../values/Vocabulary.ts"
import { MessageKinds, messageKinds } from "../webhooks/MessageKinds.ts"
import type { Kinds } from "../webhooks/MessageKinds.ts"
import type * as Capability from "./Capability.ts"

type Part = Pick<Capability.Any, "messages" | "audit" | "payloadProfiles">

const addedTypes = (capabilities: ReadonlyArray<Part>): ReadonlyArray<string> =>
  capabilities.flatMap(({ messages = {} }) => Object.keys(messages))

/** The profile of payloads of the contract, and those of these capabilities. */
export const profilesOf = (capabilities: ReadonlyArray<Part>): ReadonlyArray<PayloadProfile> => [
  contractProfile,
  ...capabilities.flatMap(({ payloadProfiles = [] }) => payloadProfiles)
]

/** The words of the contract, and those of these capabilities. */
export const wordsOf = (capabilities: ReadonlyArray<Part>): OpenWords => {
  const added = addedTypes(capabilities)
  return {
    messageTypes: [...messageTypes, ...added],
    webhookTypes: [...webhookTypes, ...added],
    auditActions: [...auditActions, ...capabilities.flatMap(({ audit = [] }) => audit)],
    payloadProfiles: profilesOf(capabilities).map(({ name }) => name)
  }
}

/** The types of messages of the contract, and those of these capabilities. */
export const kindsOf = (capabilities: ReadonlyArray<Part>): Kinds =>
  Object.assign({}, messageKinds, ...capabilities.map(({ messages }) => messages))

/** What services know of types of messages and profiles of payloads where these capabilities are. */
export const layer = (capabilities: ReadonlyArray<Part>): Layer.Layer<never> =>
  Layer.mergeAll(
    messageTypesOf(addedTypes(capabilities)),
    Layer.succeed(MessageKinds, kindsOf(capabilities)),
    Layer.succeed(PayloadProfiles, profilesOf(capabilities))
  )
