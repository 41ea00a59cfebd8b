/** A preview of a field map: the message fields of a business, for a pallet that a tower has seen lately. */
import type { MessageFieldView } from "@dockline/core/operator/OperatorView"
import { customerFields } from "@dockline/core/places/MessageField"
import { useEffect, useState } from "preact/hooks"
import { recentPallets } from "../../api/operations.ts"
import { run } from "../../api/request.ts"
import { Empty, Loaded } from "../../ui/Frame.tsx"
import { useLoaded } from "../../ui/loaded.ts"
import { Quote, Select } from "../../ui/Parts.tsx"
import { proposals } from "./Field.tsx"
import { above, lastOf } from "./Resource.ts"

/** Shows the map while the reader edits it, and proposes existing labels. */
export const FieldMapPreview = ({ path, value }: { readonly path: string; readonly value: unknown }) => {
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
      <Loaded state={state}>
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
      </Loaded>
    </section>
  )
}
