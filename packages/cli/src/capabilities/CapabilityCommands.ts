/** The commands of capabilities (D20.1): a line for each that has some. */
import { sku } from "./skus/SkuCommands.ts"
import { trace } from "./trace/TraceCommand.ts"

export const capabilities = [trace, sku] as const
