/** The field map of a business: which labels of pallets its messages carry, shown on a pallet that a tower has seen lately. */
import type { MessageFieldView } from "@dockline/core/operator/OperatorView"
import { customerFields } from "@dockline/core/places/MessageField"
import { useState } from "preact/hooks"
import { recentPallets } from "../../api/operations.ts"
import type { LabelledPallet } from "../../api/operations.ts"
import { call, operationAt } from "../../api/operator.ts"
import { run } from "../../api/request.ts"
import { href } from "../../router.ts"
import { Empty, Loaded, ThingHead } from "../../ui/Frame.tsx"
import { useLoaded, useStill } from "../../ui/loaded.ts"
import { Quote, Select } from "../../ui/Parts.tsx"
import { Form } from "./Form.tsx"
import { useOutcome } from "./Outcome.tsx"
import type { Resource } from "./Resource.ts"

const pattern = "/v1/operator/businesses/:slug/field-map"

/** The names of the labels of pallets that were seen lately, each name once. */
const labelNames = (pallets: ReadonlyArray<LabelledPallet>) =>
  Array.from(new Set(pallets.flatMap(({ labels }) => labels.map(({ name }) => name)))).toSorted()
    .map((name) => [name] as const)

/** What the messages of a pallet carry by a map that is being edited. */
const Preview = ({ map, pallets }: {
  readonly map: ReadonlyArray<MessageFieldView>
  readonly pallets: ReadonlyArray<LabelledPallet>
}) => {
  const [choice, setChosen] = useState("")
  const pallet = pallets.find(({ id }) => id === choice) ?? pallets[0]
  if (pallet === undefined) {
    return (
      <section class="card" aria-label="Preview">
        <Empty title="No pallet to show as an example">
          When a tower has reported a pallet of this business, this preview shows how the map changes its
          messages.
        </Empty>
      </section>
    )
  }
  const fields = map.flatMap(({ label = "", list, name }) =>
    name ? [{ name, label, list: list === true }] : []
  )
  return (
    <section class="card form" aria-label="Preview">
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
    </section>
  )
}

const Editor = ({ pallets, path, reload, current }: {
  readonly path: string
  readonly current: ReadonlyArray<MessageFieldView>
  readonly pallets: ReadonlyArray<LabelledPallet>
  readonly reload: () => void
}) => {
  const [map, setMap] = useState(current)
  const outcome = useOutcome(reload)
  const operation = operationAt("PUT", pattern)
  if (operation === undefined) return null
  return (
    <>
      {outcome.notice}
      <div class="split">
        <Form
          key={JSON.stringify(current)}
          operation={operation}
          path={path}
          name="fields"
          values={current}
          proposed={{ label: labelNames(pallets) }}
          word="Save the map"
          // Its entries have the fields of the declaration.
          onChange={(value) => setMap(value as typeof current)}
          done={(answer) => outcome.take(operation, answer)}
        />
        <Preview map={map} pallets={pallets} />
      </div>
    </>
  )
}

export const FieldMap = ({ resource: { path } }: { readonly resource: Resource }) => {
  const slug = decodeURIComponent(path.split("/")[4]!)
  const state = useLoaded(`field map ${slug}`, async () => {
    const [current, ...lists] = await Promise.all([
      call(`GET ${pattern}`, { slug }),
      ...(["ARRIVED", "DEPARTED"] as const).map((status) => run(recentPallets, { business: slug, status }))
    ])
    return {
      current,
      pallets: lists.flatMap(({ nodes }) => nodes.flatMap(({ pallets }) => pallets.nodes))
    }
  })
  useStill()
  return (
    <>
      <ThingHead
        list="businesses"
        above={<a href={href(`/businesses/${slug}`)}>{slug}</a>}
        title={`Field map of ${slug}`}
        lead="Which labels of pallets the messages of the business carry, and under which names."
      />
      <Loaded state={state}>{(props) => <Editor path={path} reload={state.reloadNow} {...props} />}</Loaded>
    </>
  )
}
