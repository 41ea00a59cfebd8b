/** What a capability has on the command line (D20.1). */
import type { Messages } from "@dockline/core/capability/Capability"
import type { MessagePayload } from "@dockline/core/messages/Message"
import type { PayloadProfile } from "@dockline/core/places/MessageField"
import type { OutboxKinds } from "@dockline/core/webhooks/MessageKinds"
import { Command } from "effect/cli"
import { CapabilityTitle } from "./Failure.ts"

/** What a capability has on the command line; nothing of what it does not name. */
export interface CapabilityPart {
  /** How messages name it: "This service does not have photos". */
  readonly title: string
  readonly commands?: ReadonlyArray<Command.Command.Any>
  /** Verbs of `dockline shipment`. */
  readonly verbsOfShipments?: ReadonlyArray<Command.Command.Any>
  /** The types of its messages. */
  readonly messages?: Messages
  /** What it says of a message in a list, beside the shipment, in a few words. */
  readonly wordsOfMessage?: (message: MessagePayload) => ReadonlyArray<string>
  /** The types of what it has in an outbox. */
  readonly outbox?: OutboxKinds
  /** The profiles that `listen` and `certify` write messages in, beside the contract's (D15.3). */
  readonly payloadProfiles?: ReadonlyArray<PayloadProfile>
}

type CommandsOf<Part> = Part extends { readonly commands: ReadonlyArray<infer Each> } ? Each : never

/** Commands whose failures name the capability. */
const withTitle = (title: string, commands: ReadonlyArray<Command.Command.Any> = []) =>
  commands.map(Command.provideSync(CapabilityTitle, title))

/** The commands of parts. Their types are those of the list, which a loop does not see. */
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
