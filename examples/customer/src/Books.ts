/**
 * The books of a customer: the messages that it has, and what they leave on each truck, in one SQLite file.
 *
 * Guarantee: a message counts once, whether it comes from the log, by webhook, or both ways, and what `record` returns is
 * stored. Put what a message changes in your own tables into the same transaction.
 */
import { DatabaseSync } from "node:sqlite"

/** A message, as the log and webhooks have it. */
export interface Message {
  /** It grows within a business. */
  readonly id: number
  readonly messageType: string
  readonly message: Readonly<Record<string, unknown>>
}

/** How a message comes. */
export type Way = "log" | "webhook"

/** A pallet on a truck. */
export interface Pallet {
  readonly id: string
  readonly lpn: string
  readonly direction: string
}

/** What became of a message. */
export interface Entry {
  readonly message: Message
  readonly way: Way
  /** False if the message was in the books before. */
  readonly isNew: boolean
  /** The pallets of its shipment, by the messages in the books. */
  readonly pallets: ReadonlyArray<Pallet>
  /** What a completion says otherwise than the books. */
  readonly differences: ReadonlyArray<string>
}

interface Row extends Pallet {
  readonly occurredAt: string
}

const schema = `
  create table if not exists message (
    id integer primary key, type text, shipment text, pallet text, lpn text, direction text, occurredAt text
  );
  create index if not exists message_of_shipment on message (shipment);
  create table if not exists position (id integer);
  insert into position select 0 where not exists (select 1 from position);
`

export class Books {
  readonly #database: DatabaseSync

  constructor(file: string) {
    this.#database = new DatabaseSync(file)
    this.#database.exec(schema)
  }

  /** Every message of the log up to this one is in the books. */
  get lastId(): number {
    return Number(this.#database.prepare("select id from position").get()?.["id"])
  }

  /** Stores a message, and says what it means. */
  record(message: Message, way: Way): Entry {
    this.#database.exec("begin immediate")
    try {
      const isNew = this.#insert(message)
      if (way === "log") this.skipTo(message.id)
      this.#database.exec("commit")
      const pallets = this.#palletsOf(message)
      return { message, way, isNew, pallets, differences: differencesOf(message, pallets) }
    } catch (error) {
      this.#database.exec("rollback")
      throw error
    }
  }

  /** Goes on after an id of the log. */
  skipTo(id: number): void {
    this.#database.prepare("update position set id = max(id, ?)").run(id)
  }

  close(): void {
    this.#database.close()
  }

  #insert({ id, message, messageType }: Message): boolean {
    const texts = ["serviceShipmentId", "servicePalletId", "LPN", "direction", "occurredAt"]
      .map((name) => (message[name] === undefined ? null : String(message[name])))
    const { changes } = this.#database
      .prepare("insert into message values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing").run(
        id,
        messageType,
        ...texts
      )
    return changes === 1
  }

  /**
   * A pallet that was loaded and then unloaded is not on the truck. Messages that repeat a direction count once, in order of
   * occurrence.
   */
  #palletsOf({ message: { serviceShipmentId } }: Message): ReadonlyArray<Pallet> {
    // The columns are texts.
    const rows = this.#database.prepare(
      "select pallet as id, lpn, direction, occurredAt from message"
        + " where shipment = ? and type = 'PALLET_EVENT' order by occurredAt, message.id"
    ).all(String(serviceShipmentId)) as unknown as ReadonlyArray<Row>
    const directions = new Map<string, string>()
    const pallets = new Map<string, Pallet>()
    for (const { direction, id, lpn } of rows) {
      if (directions.get(id) === direction) continue
      directions.set(id, direction)
      if (!pallets.delete(id)) pallets.set(id, { id, lpn, direction })
    }
    return [...pallets.values()]
  }
}

const differencesOf = (
  { message, messageType }: Message,
  pallets: ReadonlyArray<Pallet>
): ReadonlyArray<string> => {
  const list = message["pallets"]
  if (messageType !== "SHIPMENT_COMPLETE" || !Array.isArray(list)) return []
  const theirs = new Map(
    (list as ReadonlyArray<Message["message"]>).map((pallet) => [
      String(pallet["servicePalletId"]),
      String(pallet["direction"])
    ])
  )
  const ours = new Map(pallets.map(({ direction, id }) => [id, direction]))
  return [...new Set([...theirs.keys(), ...ours.keys()])].filter((id) => theirs.get(id) !== ours.get(id)).map(
    (id) =>
      `pallet ${id}: the service says ${theirs.get(id) ?? "nothing"}, we counted ${ours.get(id) ?? "nothing"}`
  )
}
