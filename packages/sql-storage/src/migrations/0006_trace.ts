/**
 * A part of migration 6: how a message that is written as text ends.
 */

/** What follows the payload of a message: its trace context, or nothing where it has none. */
export const traceText = (row: string): string => `coalesce(',' || to_json(${row}.trace), '')`
