/** What capabilities have in Kargo's schema: a line for each. Those that the service leaves out are not in it. */
import { exceptions } from "./exceptions/ExceptionsPart.ts"
import type { SchemaPart } from "./schema/SchemaPart.ts"
import { skus } from "./skus/SkusPart.ts"

export const parts: ReadonlyArray<SchemaPart> = [
  skus,
  exceptions
]
