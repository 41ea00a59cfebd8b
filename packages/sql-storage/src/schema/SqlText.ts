/**
 * What the texts of the functions of a capability have in common with those of the contract: pages of lists,
 * and what answers show of places.
 */
export { businessOf, locationOf } from "./Columns.ts"
export { sql } from "./Plans.ts"
export { merged, placeOf, words } from "./Streams.ts"
