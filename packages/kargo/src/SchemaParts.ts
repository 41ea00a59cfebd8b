/** The parts of capabilities in Kargo's schema: one line for each. Those of capabilities that the service lacks are left out. */
import { exceptions } from "./exceptions/ExceptionsPart.ts"
import type { SchemaPart } from "./schema/SchemaPart.ts"
import { skus } from "./skus/SkusPart.ts"

export const parts: ReadonlyArray<SchemaPart> = [
  skus,
  exceptions
]
