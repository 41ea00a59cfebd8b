/**
 * Replaces ids in a service's answers by names, so that they can be compared with those of another service: the name of an id consists of
 * its kind and the order in which it was first seen.
 */

/** The kind of the ids in a field. */
const kindsOfFields: Readonly<Record<string, string>> = {
  dockId: "dock",
  expectedOnId: "shipment",
  linkedShipmentIds: "shipment",
  messageId: "message",
  palletId: "pallet",
  servicePalletId: "pallet",
  serviceShipmentId: "shipment",
  shipmentId: "shipment"
}

/** The kind of the entities in a field, each of which has an `id`. */
const kindsOfEntities: Readonly<Record<string, string>> = {
  exception: "exception",
  items: "item",
  orders: "order",
  shipment: "shipment"
}

/** The kind of an entity that names its type, as in the lists of a document's changes. */
const kindsOfTypes: Readonly<Record<string, string>> = {
  ORDER: "order",
  ORDER_ITEM: "item",
  SHIPMENT: "shipment"
}

/** The names of the ids of one service in one history. */
export class HistoryNames {
  /** The names of ids, by kind. */
  readonly #names = new Map<string, Map<string, string>>()

  /** The name of an id. An empty id, of an absent entity, has none. */
  nameOf(kind: string, id: unknown): string {
    const text = String(id)
    if (text === "" || text === "0") return "none"
    const names = this.#names.get(kind) ?? new Map<string, string>()
    this.#names.set(kind, names)
    const name = names.get(text) ?? `${kind} #${names.size + 1}`
    names.set(text, name)
    return name
  }

  /** A value with names in place of ids; `kind` is that of the entity that the value is, or of those in the list. */
  named(value: unknown, kind: string): unknown {
    if (Array.isArray(value)) return value.map((member) => this.named(member, kind))
    if (typeof value !== "object" || value === null) return value
    const own = "type" in value ? kindsOfTypes[String(value.type)] ?? kind : kind
    return Object.fromEntries(
      Object.entries(value).map(([field, member]) => [field, this.#member(field, member, own)])
    )
  }

  #member(field: string, member: unknown, kind: string): unknown {
    const ofField = field === "id" ? kind : kindsOfFields[field]
    if (ofField !== undefined) {
      return Array.isArray(member)
        ? member.map((id) => this.nameOf(ofField, id))
        : this.nameOf(ofField, member)
    }
    if (field === "url") return this.#link(String(member))
    if (field === "notes" && Array.isArray(member)) return member.map((note) => this.#note(String(note)))
    return this.named(member, kindsOfEntities[field] ?? kind)
  }

  #note(note: string): string {
    return note.replace(/(?<=has left shipment )\d+/, (id) => this.nameOf("shipment", id))
  }

  #link(url: string): string {
    return url
      .replace(/(?<=\/shipments\/)\d+/, (id) => this.nameOf("shipment", id))
      .replace(/(?<=\/pallets\/)\d+/, (id) => this.nameOf("pallet", id))
  }
}
