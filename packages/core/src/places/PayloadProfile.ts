/**
 * The profiles of payloads: how the fields of messages are named and shaped for an endpoint (D15.3). The log keeps messages in the
 * contract's profile, which is the default; the others are made of it when a message is sent. Capabilities bring them.
 *
 * Guarantee: an endpoint whose profile the service does not have is sent nothing: its messages wait.
 */
import { Context } from "effect"
import type { MessageType } from "../values/Vocabulary.ts"

/** A profile of payloads. */
export interface PayloadProfile {
  /** Its name in the settings of an endpoint. */
  readonly name: string
  /** The names that it gives fields of the contract, which a field map must not use (D6.4). */
  readonly fieldNames: ReadonlyArray<string>
  /** Writes the payload of a message, which is JSON in the contract's profile. */
  readonly write: (type: MessageType, json: string) => string
}

/** The contract's profile: messages as the log keeps them. */
export const contractProfile: PayloadProfile = {
  name: "dockline",
  fieldNames: [],
  write: (_type, json) => json
}

/** The profiles that endpoints may use; the contract's alone unless capabilities bring others. */
export const PayloadProfiles = Context.Reference<ReadonlyArray<PayloadProfile>>(
  "@dockline/core/PayloadProfiles",
  { defaultValue: () => [contractProfile] }
)
