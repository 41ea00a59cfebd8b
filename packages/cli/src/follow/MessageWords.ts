/** What the command line knows of messages: the types and profiles of payloads of the contract, and those that capabilities add (D20.1). */
import { withWords } from "@dockline/core/access/Operation"
import { kindsOf, profilesOf, wordsOf } from "@dockline/core/capability/ServiceWords"
import { operations } from "@dockline/core/operations/Operations"
import type { PayloadProfile } from "@dockline/core/places/PayloadProfile"
import type { Kinds } from "@dockline/core/webhooks/MessageKinds"
import type { CapabilityPart } from "../CapabilityPart.ts"

/** The types of messages, and how they are written. */
export interface MessageWords {
  /** The types with their texts and test messages. */
  readonly kinds: Kinds
  /** The operation that lists messages, which takes and shows these types. */
  readonly operation: typeof operations.messages
  /** The names of the types. */
  readonly types: ReadonlyArray<string>
  /** What endpoints get: messages, and interchanges of EDI. */
  readonly webhookTypes: ReadonlyArray<string>
  /** The contract's first. */
  readonly profiles: readonly [PayloadProfile, ...ReadonlyArray<PayloadProfile>]
}

/** The words of the contract and of these capabilities. */
export const messageWordsOf = (capabilities: ReadonlyArray<CapabilityPart>): MessageWords => {
  const kinds = kindsOf(capabilities)
  const types = Object.keys(kinds)
  return {
    kinds,
    operation: withWords(operations.messages, wordsOf(capabilities)),
    types,
    webhookTypes: [...types, "EDI_INTERCHANGE"],
    profiles: profilesOf(capabilities)
  }
}
