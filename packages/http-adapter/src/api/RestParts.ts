/** What capabilities have of the REST interface beside their operations: a line for each. What the service leaves out is not served. */
import type * as Capability from "@dockline/core/capability/Capability"
import { edi } from "./edi/EdiPart.ts"
import type { RestPart } from "./RestPart.ts"
import { skuMaster } from "./skus/SkuMasterPart.ts"

const parts: ReadonlyArray<RestPart> = [
  skuMaster,
  edi
]

/** The parts of these capabilities. */
export const partsOf = (capabilities: Capability.List): ReadonlyArray<RestPart> =>
  parts.filter((part) => capabilities.some(({ name }) => name === part.name))
