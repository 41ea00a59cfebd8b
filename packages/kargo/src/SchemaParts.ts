/**
 * The parts that other capabilities add to Kargo's schema, one line for each. The parts of capabilities that the service does not have are
 * left out.
 */
import { exceptions } from "./exceptions/ExceptionsPart.ts"
import type { SchemaPart } from "./schema/SchemaPart.ts"
import { skus } from "./skus/SkusPart.ts"

export const parts: ReadonlyArray<SchemaPart> = [
  skus,
  exceptions
]
