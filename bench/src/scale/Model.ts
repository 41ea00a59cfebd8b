/**
 * What a number of shipments takes: processors, disk and instances, out of what one of each was measured to cost. It is
 * linear, as costs are that do not depend on how much is stored.
 */

/** Milliseconds of CPU time, of the server and of PostgreSQL. */
export interface Cost {
  readonly server: number
  readonly postgres: number
}

/** What was measured. */
export interface Measured {
  /** A document of that many items. */
  readonly document: Cost
  /** The event of a pallet, with its message. */
  readonly pallet: Cost
  /** A delivery of a message to an endpoint: `bench/results/webhooks.md`. */
  readonly delivery: Cost
  /** Bytes that stay: of a shipment with its order, items, pallets and events. */
  readonly shipmentBytes: number
  /** Bytes of a message and its delivery, which go after the retention. */
  readonly messageBytes: number
}

/** How the service is used. */
export interface Use {
  readonly shipmentsPerDay: number
  /** Documents of a shipment: one announces it, others change it. */
  readonly documents: number
  /** Pallets of a shipment, each seen once. */
  readonly pallets: number
  /** The busiest hour, in mean hours. */
  readonly peak: number
  readonly retentionDays: number
  /** How busy a processor may be in the busiest hour. */
  readonly busy: number
}

/** What the use takes. */
export interface Need {
  readonly use: Use
  /** Writes a second in the busiest hour. */
  readonly writes: number
  readonly serverCores: number
  readonly postgresCores: number
  /** An instance computes on one processor; two at least, so that one may die. */
  readonly instances: number
  /** GiB that a year adds. */
  readonly yearGiB: number
  /** GiB of the messages and deliveries that are kept. */
  readonly keptGiB: number
}

const secondsPerDay = 86_400
const bytesPerGiB = 1024 ** 3

/** What a use takes. */
export const need = (measured: Measured, use: Use): Need => {
  const { delivery, document, messageBytes, pallet, shipmentBytes } = measured
  const shipments = use.shipmentsPerDay * use.peak / secondsPerDay
  const cores = (part: keyof Cost) =>
    shipments * (use.documents * document[part] + use.pallets * (pallet[part] + delivery[part])) / 1000 /
    use.busy
  return {
    use,
    writes: shipments * (use.documents + use.pallets),
    serverCores: cores("server"),
    postgresCores: cores("postgres"),
    instances: Math.max(2, Math.ceil(cores("server"))),
    yearGiB: use.shipmentsPerDay * 365 * shipmentBytes / bytesPerGiB,
    keptGiB: use.shipmentsPerDay * use.pallets * use.retentionDays * messageBytes / bytesPerGiB
  }
}
