/** The generator of `bench intake` as a process: it accepts an `IntakeTask` and answers with an `IntakeLoad`. */
import { postOf } from "../Http.ts"
import * as Load from "../Load.ts"
import type { LoadTask, Measured } from "../Load.ts"
import { serve } from "../Serve.ts"
import { documentOf } from "./Documents.ts"
import type { Strategy, Variant } from "./Documents.ts"

/** The variant of each order of each connection. */
export type Variants = ReadonlyArray<ReadonlyArray<Variant>>

/** One run against a server. */
export interface IntakeTask extends LoadTask {
  readonly strategy: Strategy
  readonly items: number
  readonly variants: Variants
  /** Every order is sent once, which creates it. */
  readonly isFirst: boolean
}

/** The result of a run. */
export interface IntakeLoad {
  readonly measured: Measured
  /** The variant of each order after its last answer. */
  readonly variants: Variants
}

serve(async (task: IntakeTask): Promise<IntakeLoad> => {
  const variants = task.variants.map((each) => [...each])
  const sendingsOf = (connection: number): Load.Sendings => {
    const own = variants[connection] ?? []
    const sendings = own.map((_, order) =>
      ([0, 1] as const).map((variant): Load.Sending => ({
        request: postOf(
          "/v1/documents",
          task.token,
          JSON.stringify(documentOf(connection, order, variant, task.strategy, task.items))
        ),
        onAnswer: (status, body) => {
          if (status !== 200 && status !== 201) throw new Error(`${status} ${body.toString("utf8", 0, 2000)}`)
          own[order] = variant
        }
      }))
    )
    return (sent) => {
      const order = sent % own.length
      return task.isFirst && sent >= own.length ? undefined : sendings[order]?.[own[order] === 0 ? 1 : 0]
    }
  }
  return { measured: await Load.send(task, sendingsOf), variants }
})
