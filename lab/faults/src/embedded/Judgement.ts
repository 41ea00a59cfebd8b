/**
 * What is promised of the embedded database, judged by what clients were told and what the service shows afterwards.
 *
 * The guarantee: nothing is judged by a clock or by the service's own word for what it has done. What was acknowledged
 * must be there exactly once, under the ids that were told; what was not acknowledged wholly or not at all; and nothing
 * else may be there.
 */

/** A document that was sent: items appended to an order. */
export interface SentDocument {
  readonly order: string
  readonly lpns: ReadonlyArray<string>
  /** Whether it was answered as done; else it was sent once, and nobody knows. */
  readonly acknowledged: boolean
  /** The ids of its items by lpn, as they were told. */
  readonly ids: Readonly<Record<string, string>>
}

/** A pallet event that was acknowledged. */
export interface SentEvent {
  readonly lpn: string
  readonly shipmentId: string
  readonly messageId: number
}

/** A message, as the log, a follower or a webhook shows it. */
export interface ShownMessage {
  readonly id: number
  readonly type: string
  readonly shipmentId: string
  /** The pallets it tells of. */
  readonly lpns: ReadonlyArray<string>
}

/** What clients, a follower and a customer know. */
export interface Known {
  readonly documents: ReadonlyArray<SentDocument>
  readonly events: ReadonlyArray<SentEvent>
  /** The shipments whose departure was acknowledged. */
  readonly departed: ReadonlyArray<string>
  /** What a follower handled, in its order. */
  readonly followed: ReadonlyArray<ShownMessage>
  /** What a customer was sent, in its order, repeats included. */
  readonly delivered: ReadonlyArray<ShownMessage>
}

/** What the service shows. */
export interface Shown {
  readonly shipments: ReadonlyArray<ShownShipment>
  /** The whole log, in its order. */
  readonly messages: ReadonlyArray<ShownMessage>
}

/** A shipment, as the service shows it. */
export interface ShownShipment {
  readonly id: string
  readonly status: string
  readonly items: ReadonlyArray<{ readonly order: string; readonly lpn: string; readonly id: string }>
}

/** What is wrong, a sentence each; empty when all is as promised. */
export const judge = (known: Known, shown: Shown): ReadonlyArray<string> => [
  ...judgeItems(known, shown),
  ...judgeMessages(known, shown),
  ...judgeFollower(known, shown),
  ...judgeWebhooks(known, shown)
]

const judgeItems = ({ documents }: Known, { shipments }: Shown): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const found = new Map<string, Array<string>>()
  const ids = new Set<string>()
  for (const { order, lpn, id } of shipments.flatMap(({ items }) => items)) {
    found.set(`${order} ${lpn}`, [...found.get(`${order} ${lpn}`) ?? [], id])
    if (ids.has(id)) faults.push(`two items have the id ${id}`)
    ids.add(id)
  }
  for (const { acknowledged, ids: told, lpns, order } of documents) {
    const present = lpns.filter((lpn) => found.has(`${order} ${lpn}`))
    if (acknowledged ? present.length < lpns.length : present.length % lpns.length > 0) {
      const way = acknowledged ? "acknowledged" : "not acknowledged"
      faults.push(
        `of a document that was ${way}, ${present.length} of ${lpns.length} items are there: ${order}`
      )
    }
    for (const lpn of lpns) {
      const shown = found.get(`${order} ${lpn}`) ?? []
      if (shown.length > 1) faults.push(`${lpn} is there ${shown.length} times`)
      const [id] = shown
      if (told[lpn] !== undefined && id !== undefined && told[lpn] !== id) {
        faults.push(`${lpn} was told as ${told[lpn]}, and is ${id}`)
      }
      found.delete(`${order} ${lpn}`)
    }
  }
  return [...faults, ...Array.from(found.keys(), (item) => `nobody sent the item ${item}`)]
}

const judgeMessages = (
  { departed, events }: Known,
  { messages, shipments }: Shown
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const unexplained = new Map(messages.map((message) => [message.id, message]))
  if (unexplained.size < messages.length) faults.push("two messages have one id")
  for (const { lpn, messageId, shipmentId } of events) {
    const message = unexplained.get(messageId)
    if (message?.type !== "PALLET_EVENT" || message.shipmentId !== shipmentId || message.lpns[0] !== lpn) {
      faults.push(`the message ${messageId} of the pallet ${lpn} is not in the log`)
    }
    unexplained.delete(messageId)
  }
  const statuses = new Map(shipments.map(({ id, status }) => [id, status]))
  for (const shipmentId of departed) {
    if (statuses.get(shipmentId) !== "DEPARTED") {
      faults.push(`the shipment ${shipmentId} has departed, and is ${statuses.get(shipmentId)}`)
    }
    const completions = [...unexplained.values()].filter((message) =>
      message.type === "SHIPMENT_COMPLETE" && message.shipmentId === shipmentId
    )
    const loaded = events.filter((event) => event.shipmentId === shipmentId).map(({ lpn }) => lpn)
    if (completions.length !== 1 || completions[0]!.lpns.toSorted().join() !== loaded.toSorted().join()) {
      faults.push(`the departure of the shipment ${shipmentId} is not in the log once, with all its pallets`)
    }
    for (const { id } of completions) unexplained.delete(id)
  }
  return [
    ...faults,
    ...Array.from(unexplained.values(), ({ id, type }) => `nothing caused the message ${id} (${type})`)
  ]
}

const judgeFollower = ({ followed }: Known, { messages }: Shown): ReadonlyArray<string> => {
  const ids = messages.map(({ id }) => id)
  const at = ids.findIndex((id, index) => followed[index]?.id !== id)
  if (at >= 0) return [`the follower handled ${followed[at]?.id ?? "nothing"} where the log has ${ids[at]}`]
  return followed.length === ids.length
    ? followed.filter((message, index) => !isSame(message, messages[index])).map(({ id }) =>
      `the follower handled ${id} other than the log has it`
    )
    : [`the follower handled ${followed.length} messages, and the log holds ${ids.length}`]
}

/** Whether two messages tell of the same. */
const isSame = (one: ShownMessage, other: ShownMessage | undefined): boolean =>
  one.type === other?.type && one.shipmentId === other.shipmentId && one.lpns.join() === other.lpns.join()

const judgeWebhooks = ({ delivered }: Known, { messages }: Shown): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const logged = new Map(messages.map((message) => [message.id, message]))
  const missing = new Set(logged.keys())
  const seen = new Set<number>()
  const last = new Map<string, number>()
  for (const webhook of delivered) {
    const { id, shipmentId } = webhook
    if (logged.has(id) && !isSame(webhook, logged.get(id))) {
      faults.push(`the webhook ${id} is another message than in the log`)
    }
    if (seen.has(id)) continue
    seen.add(id)
    if (!missing.delete(id)) faults.push(`the webhook ${id} is of no message in the log`)
    if (id < (last.get(shipmentId) ?? 0)) {
      faults.push(`the webhook ${id} came after a later one of its shipment`)
    }
    last.set(shipmentId, id)
  }
  return [...faults, ...Array.from(missing, (id) => `the message ${id} was never sent by webhook`)]
}
