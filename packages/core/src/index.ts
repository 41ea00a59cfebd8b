/**
 * The entry point for programs: the façade of Dockline with promises, and the storage in memory.
 *
 * ```ts
 * import * as Dockline from "@dockline/core"
 *
 * await using dockline = await Dockline.open({ storage: Dockline.Memory.layer })
 * ```
 */
export * from "./embed/Dockline.ts"
export * as Memory from "./memory/Memory.ts"
