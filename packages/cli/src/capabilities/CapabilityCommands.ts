/** The commands of capabilities (D20.1): a line for each that has some. */
import { trace } from "./trace/TraceCommand.ts"

export const capabilities = [trace] as const
