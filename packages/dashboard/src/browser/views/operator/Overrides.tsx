/**
 * The parts of pages that cannot be generated from declarations, by the patterns of paths, such as the preview of a field map, and the views
 * of deliveries by their state.
 */
import type { MessageFieldView, MessageRecordView } from "@dockline/core/operator/OperatorView"
import { customerFields } from "@dockline/core/places/MessageField"
import type { ComponentChildren, ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { recentPallets } from "../../api/operations.ts"
import { perform } from "../../api/operator.ts"
import type { Row } from "../../api/operator.ts"
import { run } from "../../api/request.ts"
import { href } from "../../router.ts"
import { Empty, LoadedData } from "../../ui/Frame.tsx"
import type { Column } from "../../ui/lists.tsx"
import { useLoaded } from "../../ui/loaded.ts"
import { Plain, Quote, Select } from "../../ui/Parts.tsx"
import { amount, countText } from "../../ui/words.ts"
import type { Outcome } from "./Change.tsx"
import { proposals } from "./Field.tsx"
import { above, addressOf, lastOf } from "./Resource.ts"
import { columnsOf, valueOf } from "./Value.tsx"

/** The differences from the generated page. */
interface Override {
  readonly lead?: (row: Row) => string
  /** The noun for the entries of a list that is replaced as a whole. */
  readonly noun?: string
  /** The views of a list in place of its filters: each has its queries, and the title for an empty list. */
  readonly views?: Readonly<
    Record<string, readonly [label: string, queries: ReadonlyArray<Row>, empty: string]>
  >
  /** The columns of a list in a view. */
  readonly columns?: (rows: ReadonlyArray<Row>, view: Row, outcome: Outcome) => ReadonlyArray<Column<Row>>
  readonly links?: (path: string) => ComponentChildren
  /** A component beside a view and its form; it shows the current input. */
  readonly Beside?: ComponentType<{ readonly path: string; readonly value: unknown }>
}

// Rows have the fields that their operations declare.
type Passage = MessageRecordView["endpoints"][number]
const passageIn = (row: Row): Passage => row as Row & Passage

const endpointPath = "/v1/operator/webhook-endpoints"

/** Sends a message to an endpoint once more, or for the first time. */
const deliver = (id: unknown, outcome: Outcome) => (row: Row) => {
  const { baseUrl, endpointId, state } = passageIn(row)
  if (state === "QUEUED" || state.startsWith("OTHER")) return null
  const isFirst = state === "NOT_SENT"
  const path = `${endpointPath}/${endpointId}${isFirst ? "" : `/deliveries/${String(id)}`}/replay`
  const body = isFirst ? { fromId: id, toId: id } : undefined
  return (
    <Plain
      of={`to ${baseUrl}`}
      onClick={() =>
        outcome.act(
          () => perform("POST", path, body),
          `Message ${String(id)} will be delivered to ${baseUrl}.`
        )}
    >
      {isFirst ? "Deliver" : "Deliver again"}
    </Plain>
  )
}

/** Shows the map while the reader edits it, and proposes existing labels. */
const FieldMapPreview = ({ path, value }: { readonly path: string; readonly value: unknown }) => {
  const business = lastOf(above(path))
  const [choice, setChosen] = useState("")
  const state = useLoaded(`labels of ${business}`, async () => {
    const lists = await Promise.all(
      (["ARRIVED", "DEPARTED"] as const).map((status) => run(recentPallets, { business, status }))
    )
    return lists.flatMap(({ nodes }) => nodes.flatMap(({ pallets }) => pallets.nodes))
  })
  useEffect(() => {
    const names = state.value?.flatMap(({ labels }) => labels.map(({ name }) => name)) ?? []
    proposals.value = { label: Array.from(new Set(names)).toSorted().map((name) => [name] as const) }
    return () => void (proposals.value = {})
  }, [state.value])
  // Entries of the map have the declared fields.
  const fields = (value as ReadonlyArray<Partial<MessageFieldView>>).flatMap(({ label = "", list, name }) =>
    name ? [{ name, label, list: list === true }] : []
  )
  return (
    <section class="card form preview" aria-label="Preview">
      <LoadedData state={state}>
        {(pallets) => {
          const pallet = pallets.find(({ id }) => id === choice) ?? pallets[0]
          if (pallet === undefined) {
            return (
              <Empty title="No pallet to show as an example">
                When a tower has reported a pallet of this business, this preview shows how the map changes
                its messages.
              </Empty>
            )
          }
          return (
            <>
              <div class="view-head">
                <h2>Preview with a recent pallet</h2>
                <label class="flag">
                  Pallet{" "}
                  <Select
                    value={pallet.id}
                    options={pallets.map(({ id, lpn }) => [id, lpn || `#${id}`])}
                    onChange={({ currentTarget }) => setChosen(currentTarget.value)}
                  />
                </label>
              </div>
              <div class="exchange">
                <Quote caption="Its label, as the tower read it">
                  {pallet.labels.map(({ name, value }) => `${name}: ${value}`).join("\n")}
                </Quote>
                <Quote caption="Added to the fields of the contract in its messages">
                  {JSON.stringify(customerFields(fields, pallet.labels, new Date().toISOString()), null, 2)}
                </Quote>
              </div>
            </>
          )
        }}
      </LoadedData>
    </section>
  )
}

const business = "/v1/operator/businesses/:slug"

const overrides: Readonly<Record<string, Override>> = {
  [`${business}/facilities/:facility`]: {
    links: (path) => {
      const [, , , , slug, , facility] = path.split("/")
      return <a class="button" href={href(`/docks?at=${slug}/${facility}`)}>To its board</a>
    }
  },
  [`${business}/field-map`]: { noun: "fields", Beside: FieldMapPreview },
  [`${business}/messages/:messageId`]: {
    lead: (row) => {
      const all = row["endpoints"] as MessageRecordView["endpoints"]
      const count = all.filter(({ state }) => state === "DELIVERED").length
      if (all.length === 0) return "The business has no endpoint: nobody gets its messages."
      return count === 0
        ? "No endpoint has it."
        : `${amount(count)} of ${countText(all.length, "endpoint")} ${count === 1 ? "has" : "have"} it.`
    }
  },
  [`${business}/messages/:messageId/endpoints`]: {
    columns: (rows, { id }, outcome) => [
      ...columnsOf(["baseUrl", "state", "reason nextAttemptAt"], rows),
      ["Last attempt", (row) => {
        const path = `${endpointPath}/${passageIn(row).endpointId}/deliveries/${String(id)}`
        return passageIn(row).lastAttempt &&
          <a href={href(addressOf(path))}>{valueOf("lastAttempt", row)}</a>
      }, "wide"],
      ["Change", deliver(id, outcome), "number wide"]
    ]
  },
  [`${endpointPath}/:endpointId/deliveries`]: {
    views: {
      open: [
        "Not delivered",
        [{ status: "DEAD" }, { status: "PENDING" }],
        "Every message has been delivered"
      ],
      delivered: ["Delivered", [{ status: "DELIVERED" }], "No deliveries yet"],
      all: ["All", [{}], "No deliveries yet"]
    }
  }
}

export const overrideOf = (pattern: string): Override => overrides[pattern] ?? {}
