/** The words of a service to which its capabilities add: the types of its messages, and what its operators do (ADR 31). */
import { Layer } from "effect"
import { auditActions } from "../access/AuditEntry.ts"
import type { OpenWords } from "../access/OpenWords.ts"
import { messageTypes, messageTypesOf, webhookTypes } from "../values/Vocabulary.ts"
import { MessageKinds, messageKinds } from "../webhooks/MessageKinds.ts"
import type { Kinds } from "../webhooks/MessageKinds.ts"
import type * as Capability from "./Capability.ts"

type Part = Pick<Capability.Any, "messages" | "audit">

const addedTypes = (capabilities: ReadonlyArray<Part>): ReadonlyArray<string> =>
  capabilities.flatMap(({ messages = {} }) => Object.keys(messages))

/** The words of the contract, and those of these capabilities. */
export const wordsOf = (capabilities: ReadonlyArray<Part>): OpenWords => {
  const added = addedTypes(capabilities)
  return {
    messageTypes: [...messageTypes, ...added],
    webhookTypes: [...webhookTypes, ...added],
    auditActions: [...auditActions, ...capabilities.flatMap(({ audit = [] }) => audit)]
  }
}

/** The types of messages of the contract, and those of these capabilities. */
export const kindsOf = (capabilities: ReadonlyArray<Part>): Kinds =>
  Object.assign({}, messageKinds, ...capabilities.map(({ messages }) => messages))

/** What services and storages know of the types of messages where these capabilities are. */
export const layer = (capabilities: ReadonlyArray<Part>): Layer.Layer<never> =>
  Layer.mergeAll(
    messageTypesOf(addedTypes(capabilities)),
    Layer.succeed(MessageKinds, kindsOf(capabilities))
  )
