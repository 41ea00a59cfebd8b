/**
 * The checks that tell whether a receiver of webhooks is ready for freight (D9.10).
 *
 * Guarantee: a check passes only by what the receiver answered. What cannot be seen from outside is `UNSEEN`, and says how
 * to look at it.
 */
import { messagePaths } from "../values/Vocabulary.ts"
import type { WebhookType } from "../values/Vocabulary.ts"
import type { Defect } from "./Defect.ts"
import { isTaken, remedyOf } from "./TestRemedy.ts"
import type { TestOutcome } from "./TestSender.ts"

/** `NOT_SENT`: an earlier check, or the time, kept it from being sent. */
export const verdicts = ["PASSED", "FAILED", "NOT_SENT", "UNSEEN"] as const

export type Verdict = (typeof verdicts)[number]

/** A message to send, and the answer that it should get. */
export interface Check {
  readonly name: string
  /** The requirement on the receiver. */
  readonly asks: string
  readonly expects: "TAKEN" | "REFUSED"
  readonly defect?: Defect
  /** The type of its message, unless it is the first that the endpoint gets. */
  readonly type?: WebhookType
  /** Whether it has the `webhook-id` of the first message. */
  readonly isRepeat?: true
  /** How long before now the message says that it occurred, in milliseconds. */
  readonly ageMillis?: number
  /** How long nothing is sent before it, in milliseconds. */
  readonly pauseMillis?: number
}

const refused = (defect: Defect, asks: string): Check => ({ name: defect, asks, expects: "REFUSED", defect })

/**
 * The checks of an endpoint that gets messages of these types, in their order: the first type with every defect, and then each other
 * type once. When the first check fails, the others mean nothing.
 */
export const checksOf = ([, ...others]: ReadonlyArray<WebhookType>): ReadonlyArray<Check> => [
  { name: "SIGNED", asks: "A signed message is taken", expects: "TAKEN" },
  refused("UNSIGNED", "A message without a signature is refused"),
  refused("WRONG_SIGNATURE", "A message with a wrong signature is refused"),
  refused("ALTERED_BODY", "A message that was changed after it was signed is refused"),
  refused("OLD_TIMESTAMP", "A message that was signed ten minutes ago is refused"),
  { name: "DUPLICATE", asks: "The same webhook-id again is acknowledged", expects: "TAKEN", isRepeat: true },
  {
    name: "OUT_OF_ORDER",
    asks: "A message of an hour ago is taken after newer ones",
    expects: "TAKEN",
    ageMillis: 3_600_000
  },
  { name: "AFTER_PAUSE", asks: "A message after a pause is taken", expects: "TAKEN", pauseMillis: 1500 },
  ...others.map((type): Check => ({
    name: `SIGNED_${type}`,
    asks: `A signed message is taken at ${messagePaths[type]} too`,
    expects: "TAKEN",
    type
  }))
]

/** How long all checks may take before the next one is sent, in milliseconds. */
export const checksMillis = 20_000

/** What only the receiver can see, for the `webhook-id` that was sent twice. */
export const unseen = (
  repeatedId: string
): ReadonlyArray<Pick<Check, "name" | "asks"> & { readonly detail: string }> => [
  {
    name: "COUNTED_ONCE",
    asks: "A message that comes twice is counted once",
    detail: `This cannot be seen from outside: check that your system has ${repeatedId} at most once.`
  },
  {
    name: "RESUMED",
    asks: "A follower of the log resumes at its cursor, and understands HISTORY_EXPIRED (410)",
    detail:
      "This cannot be seen from outside: stop your follower, let a pallet pass, and check that it comes once the follower is \
back. Receivers of webhooks alone need no cursor."
  }
]

/** Answers of 4xx that say something else than that the message is refused. */
const passing: ReadonlySet<number> = new Set([408, 410, 429])

/** Judges the answer to a check; `detail` is `""` for a check that has passed. */
export const judge = (
  { expects, name }: Check,
  outcome: TestOutcome
): { readonly verdict: Verdict; readonly detail: string } => {
  const { error, status } = outcome
  if (expects === "TAKEN") {
    return isTaken(outcome)
      ? { verdict: "PASSED", detail: "" }
      : { verdict: "FAILED", detail: [error, remedyOf(outcome)].filter((text) => text !== "").join(". ") }
  }
  if (status !== null && status >= 400 && status < 500 && !passing.has(status)) {
    return { verdict: "PASSED", detail: "" }
  }
  return {
    verdict: "FAILED",
    detail: isTaken(outcome) ? forged(name) : `Refuse it with 401. ${error}`.trim()
  }
}

const forged = (name: string): string =>
  name === "OLD_TIMESTAMP"
    ? "It took a message that someone may have recorded and sent again: refuse messages older than five minutes."
    : "It took a message that anyone could have sent: verify webhook-signature over the raw bytes."
