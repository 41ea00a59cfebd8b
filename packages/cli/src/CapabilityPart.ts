/** The part of a capability for the command line (D20.1). */
import type { Messages } from "@dockline/core/capability/Capability"
import type { MessagePayload } from "@dockline/core/messages/Message"
import type { PayloadProfile } from "@dockline/core/places/MessageField"
import type { OutboxKinds } from "@dockline/core/webhooks/MessageKinds"
import { Command } from "effect/cli"
import { CapabilityTitle } from "./Failure.ts"

/** The part of a capability for the command line; absent members are empty. */
export interface CapabilityPart {
  /** The name of the capability in messages, such as "photos" in "This service does not have photos". */
  readonly title: string
  readonly commands?: ReadonlyArray<Command.Command.Any>
  /** Verbs of `dockline shipment`. */
  readonly verbsOfShipments?: ReadonlyArray<Command.Command.Any>
  /** The types of its messages. */
  readonly messages?: Messages
  /** A few words that describe a message in a list; the list shows the shipment itself. */
  readonly wordsOfMessage?: (message: MessagePayload) => ReadonlyArray<string>
  /** The types of its outbox entries. */
  readonly outbox?: OutboxKinds
  /** Payload profiles for `listen` and `certify`, in addition to the contract's (D15.3). */
  readonly payloadProfiles?: ReadonlyArray<PayloadProfile>
}

type CommandsOf<Part> = Part extends { readonly commands: ReadonlyArray<infer Each> } ? Each : never

/** Commands whose failures name the capability. */
const withTitle = (title: string, commands: ReadonlyArray<Command.Command.Any> = []) =>
  commands.map(Command.provideSync(CapabilityTitle, title))

/** The commands of parts. The cast restores their types, which the loop loses. */
export const commandsOf = <const Parts extends ReadonlyArray<CapabilityPart>>(parts: Parts) =>
  parts.flatMap(({ commands, title }) => withTitle(title, commands)) as ReadonlyArray<
    unknown
  > as ReadonlyArray<
    CommandsOf<Parts[number]>
  >

type VerbsOf<Part> = Part extends { readonly verbsOfShipments: ReadonlyArray<infer Each> } ? Each : never

/** The verbs of `dockline shipment` of parts, with types as in {@link commandsOf}. */
export const verbsOf = <const Parts extends ReadonlyArray<CapabilityPart>>(parts: Parts) =>
  parts.flatMap(({ title, verbsOfShipments }) => withTitle(title, verbsOfShipments)) as ReadonlyArray<
    unknown
  > as ReadonlyArray<
    VerbsOf<Parts[number]>
  >
