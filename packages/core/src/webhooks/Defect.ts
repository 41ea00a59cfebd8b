/**
 * What the service can do wrong on purpose, as a sender to endpoints of sandboxes (D9.10).
 */

/**
 * `UNSIGNED` leaves the signature out, `WRONG_SIGNATURE` signs with a secret that nobody has, `ALTERED_BODY` changes the
 * body after it was signed, and `OLD_TIMESTAMP` signs for a time {@link oldMillis} ago.
 */
export const defects = ["UNSIGNED", "WRONG_SIGNATURE", "ALTERED_BODY", "OLD_TIMESTAMP"] as const

export type Defect = (typeof defects)[number]

/** How old a message with an old timestamp is, in milliseconds: twice what libraries of Standard Webhooks allow. */
export const oldMillis = 600_000
