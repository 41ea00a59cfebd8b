/**
 * What the command line knows of messages, and of what is in outboxes: the types and profiles of payloads of the contract, and those that
 * capabilities add (D20.1).
 */
import type { OpenWords } from "@dockline/core/access/OpenWords"
import { withWords } from "@dockline/core/access/Operation"
import { kindsOf, outboxesOf, profilesOf, wordsOf } from "@dockline/core/capability/ServiceWords"
import type { MessagePayload } from "@dockline/core/messages/Message"
import { operations } from "@dockline/core/operations/Operations"
import type { PayloadProfile } from "@dockline/core/places/PayloadProfile"
import type { Kinds, OutboxKinds } from "@dockline/core/webhooks/MessageKinds"
import type { CapabilityPart } from "../CapabilityPart.ts"

/** The types of messages, and how they are written. */
export interface MessageWords {
  /** The types with their texts and test messages. */
  readonly kinds: Kinds
  /** The operation that lists messages, which takes and shows these types. */
  readonly operation: typeof operations.messages
  /** The names of the types. */
  readonly types: ReadonlyArray<string>
  /** What capabilities say of a message in a list, beside the shipment, in a few words. */
  readonly wordsOf: (message: MessagePayload) => ReadonlyArray<string>
  /** The types of what is in outboxes, with their texts and tests. */
  readonly outboxes: OutboxKinds
  /** The words of a service that has all of these capabilities. */
  readonly ofService: OpenWords
  /** The contract's first. */
  readonly profiles: readonly [PayloadProfile, ...ReadonlyArray<PayloadProfile>]
}

/** The words of the contract and of these capabilities. */
export const messageWordsOf = (capabilities: ReadonlyArray<CapabilityPart>): MessageWords => {
  const ofService = wordsOf(capabilities)
  return {
    kinds: kindsOf(capabilities),
    operation: withWords(operations.messages, ofService),
    types: ofService.messageTypes,
    wordsOf: (message) => capabilities.flatMap(({ wordsOfMessage }) => wordsOfMessage?.(message) ?? []),
    outboxes: outboxesOf(capabilities),
    ofService,
    profiles: profilesOf(capabilities)
  }
}
