/**
 * What a service answers to the requests of the examples, as recorded: `UPDATE_ANSWERS=1 npx vitest run Answers` writes it anew.
 */

/** What was recorded of `day`. */
export const day = [{ exceptions: 2, openExceptions: 1 }, { exceptions: 2, openExceptions: 1 }, {
  exceptions: 0,
  openExceptions: 0
}, { exceptions: 2, openExceptions: 1 }] as const

/** What was recorded of `dayShipments`. */
export const dayShipments = [{ exceptions: 0, openExceptions: 0 }, {
  exceptions: 2,
  openExceptions: 1
}] as const
