/**
 * How stores of capabilities read and change rows that belong to businesses (ADR 31). For rows that belong to a shipment `ShipmentRows`
 * does more.
 *
 * Guarantee: an operation ends within its deadline. A change is repeated after a conflict, and its announcement follows the commit. A read
 * takes its connection from the share of its client, and in a cluster to the node of the business.
 *
 * ```ts
 * const stores = Layer.effect(
 *   SealStore,
 *   Effect.map(operations, ({ call, read, write }) =>
 *     SealStore.of({
 *       add: (business, seal) =>
 *         write({ business: businessId(business) })(
 *           call(Schema.Int)`dockline.seal_add(${businessId(business)}, ${JSON.stringify(seal)})`
 *         ),
 *       list: (business, reader) =>
 *         read({ ...readsOf(reader), business: businessId(business) })(
 *           call(Schema.Array(Seal))`dockline.seals_of(${businessId(business)})`
 *         )
 *     }))
 * )
 * ```
 */
export { announcing, watching } from "../connections/Announcer.ts"
export type { Announcer } from "../connections/Announcer.ts"
export { Deadline, within } from "../connections/Loan.ts"
export type { RowSchema } from "../connections/Statements.ts"
export { operations } from "../connections/StoreOperations.ts"
export type { Operations } from "../connections/StoreOperations.ts"
export { businessId } from "./Keys.ts"
export { indexKey } from "./Keys.ts"
export { listsOf, placeAfter, placesOf, readsOf } from "./ListArguments.ts"
export { ownersBy } from "./Owners.ts"
