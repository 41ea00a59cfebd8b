/**
 * The publishing of events to webhook endpoints, for as long as its layer lives (D24.5).
 *
 * ```ts
 * // `services` are those of core over a storage, such as `dockline.layer`
 * EpcisServices.publishing.pipe(Layer.provide(services))
 * ```
 */
export { layer as publishing } from "./publish/Publisher.ts"
