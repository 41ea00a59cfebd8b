/**
 * The services of packing lists: they accept files on behalf of the interfaces (D25).
 *
 * ```ts
 * // `services` are those of core over a storage, such as `dockline.layer`
 * PackingListServices.intake.pipe(Layer.provide(services))
 * ```
 */
export { layer as intake } from "./intake/PackingLists.ts"
