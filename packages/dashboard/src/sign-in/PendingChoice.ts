/**
 * A choice of somebody who has signed in at a provider and is known as several people, as the cookie of the browser has it
 * (D14.4). It is taken until its end.
 */
import type { Identity } from "@dockline/core/PersonStore"
import { Option, Schema } from "effect"
import { maxPathLength } from "./PendingSignIn.ts"
import type { Seal } from "./Seal.ts"

/** A choice under way: among the people of an identity. */
export interface PendingChoice {
  /** What tells this choice from others, at random: it counts once. */
  readonly id: string
  /** What the provider has said of who chooses. */
  readonly identity: Identity
  /** The path that the sign-in leads to. */
  readonly next: string
  /** When it ends, in milliseconds since 1970. */
  readonly expiresAt: number
}

const Sealed = Schema.fromJsonString(Schema.Struct({
  id: Schema.String,
  identity: Schema.Struct({ subject: Schema.String, email: Schema.NullOr(Schema.String) }),
  next: Schema.String,
  expiresAt: Schema.Number
}))

const decode = Schema.decodeUnknownOption(Sealed)

/** The value of the cookie. */
export const close = (seal: Seal, { next, ...choice }: PendingChoice): string => {
  const text = JSON.stringify({ ...choice, next: next.length > maxPathLength ? "" : next })
  return seal.close("choice", Buffer.from(text).toString("base64url"))
}

/** The choice of a cookie; `undefined` for one that the service did not make, or that has ended. */
export const open = (seal: Seal, cookie: string | undefined, now: number): PendingChoice | undefined => {
  const text = seal.open("choice", cookie ?? "")
  if (text === undefined) return undefined
  const choice = Option.getOrUndefined(decode(Buffer.from(text, "base64url").toString()))
  return choice !== undefined && now < choice.expiresAt ? choice : undefined
}
