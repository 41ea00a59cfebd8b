/** The generator of `bench intake` as a process: it takes an `IntakeTask` and answers with an `IntakeLoad`. */
import { postOf } from "../Http.ts"
import * as Load from "../Load.ts"
import type { LoadTask, Measured } from "../Load.ts"
import { serve } from "../Serve.ts"
import { documentOf, firstDocumentOf, firstDocuments } from "./Documents.ts"
import type { Variant, Workload } from "./Documents.ts"

/** The variant of each order of each connection. */
export type Variants = ReadonlyArray<ReadonlyArray<Variant>>

/** One run against a server. */
export interface IntakeTask extends LoadTask {
  readonly workload: Workload
  readonly ordersPerConnection: number
  readonly items: number
  /** Which run this is: the numbers of new orders have it. */
  readonly run: number
  readonly variants: Variants
  /** Every order is sent once, which creates it. */
  readonly isFirst: boolean
}

/** The result of a run. */
export interface IntakeLoad {
  readonly measured: Measured
  readonly answers: number
  /** The first answer that was no success, for the message. */
  readonly firstFailure: string | null
  /** The variant of each order after its last answer. */
  readonly variants: Variants
}

serve(async (task: IntakeTask): Promise<IntakeLoad> => {
  const { connections, isFirst, items, ordersPerConnection, run, token, workload } = task
  const variants = task.variants.map((each) => [...each])
  let answers = 0
  let firstFailure: string | null = null
  const post = (document: unknown) => postOf("/v1/documents", token, JSON.stringify(document))
  const onAnswer = (then: () => void): Load.Sending["onAnswer"] => (status, body) => {
    answers++
    if (status === 200 || status === 201) then()
    else firstFailure ??= `${status} ${body.toString("utf8", 0, 2000)}`
  }

  const created = (connection: number): Load.Sendings => {
    const count = Math.ceil((firstDocuments - connection) / connections)
    const sendings = Array.from({ length: count }, (_, order) => ({
      request: post(firstDocumentOf(run, connection, order, items)),
      onAnswer: onAnswer(() => {})
    }))
    return (sent) => sendings[sent]
  }

  const changed = (connection: number): Load.Sendings => {
    const own = variants[connection]!
    const sendings = Array.from(
      { length: ordersPerConnection },
      (_, order) =>
        ([0, 1] as const).map((variant) => ({
          request: post(
            documentOf(connection, order, variant, workload === "MERGE" ? "MERGE" : "OVERWRITE", items)
          ),
          onAnswer: onAnswer(() => void (own[order] = variant))
        }))
    )
    return (sent) => {
      if (isFirst && sent >= ordersPerConnection) return undefined
      const order = sent % ordersPerConnection
      return sendings[order]![own[order] === 0 ? 1 : 0]
    }
  }

  const measured = await Load.send(task, workload === "FIRST" ? created : changed)
  return { measured, answers, firstFailure, variants }
})
