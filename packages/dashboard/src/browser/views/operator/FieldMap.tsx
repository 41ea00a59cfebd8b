/** The field map of a business: which labels of pallets its messages carry, shown on a pallet that a tower has seen lately. */
import type { MessageFieldView } from "@dockline/core/operator/OperatorView"
import { customerFields } from "@dockline/core/places/MessageField"
import { useState } from "preact/hooks"
import { recentPallets } from "../../api/operations.ts"
import type { LabelledPallet } from "../../api/operations.ts"
import { bodyOf, call } from "../../api/operator.ts"
import { changedMeanwhile, faultOf, run, versionAt } from "../../api/request.ts"
import { href } from "../../router.ts"
import { submitting, useWork } from "../../ui/forms.ts"
import { Empty, FaultNote, Loaded, Said, ThingHead } from "../../ui/Frame.tsx"
import { useLoaded, useStill } from "../../ui/loaded.ts"
import { Quote, Select } from "../../ui/Parts.tsx"
import { Entries } from "./Field.tsx"
import type { Resource } from "./Resource.ts"

const route = "/v1/operator/businesses/:slug/field-map"

/** The names of the labels of pallets that were seen lately, each name once. */
const labelNames = (pallets: ReadonlyArray<LabelledPallet>) =>
  Array.from(new Set(pallets.flatMap(({ labels }) => labels.map(({ name }) => name)))).toSorted()
    .map((name) => [name] as const)

/** What the messages of a pallet carry by a map that is being edited. */
const Preview = ({ map, pallets }: {
  readonly map: ReadonlyArray<MessageFieldView>
  readonly pallets: ReadonlyArray<LabelledPallet>
}) => {
  const [chosen, setChosen] = useState("")
  const pallet = pallets.find(({ id }) => id === chosen) ?? pallets[0]
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

const Editor = ({ pallets, path, saved, slug }: {
  readonly slug: string
  readonly path: string
  readonly saved: ReadonlyArray<MessageFieldView>
  readonly pallets: ReadonlyArray<LabelledPallet>
}) => {
  const [map, setMap] = useState(saved)
  /** The version of the map that is replaced. */
  const [version, setVersion] = useState(() => versionAt(`/api${path}`))
  const [said, setSaid] = useState("")
  const { begin, fault } = useWork()
  const save = async (): Promise<void> => {
    const answer = await call(`PUT ${route}`, { slug, body: map }, { version }).catch((error: unknown) => {
      if (faultOf(error).code !== changedMeanwhile) throw error
    })
    setMap(answer ?? await call(`GET ${route}`, { slug }))
    setVersion(versionAt(`/api${path}`))
    setSaid(
      answer === undefined
        ? "Somebody changed it meanwhile, and nothing was saved: this is how it is now."
        : "Saved. New messages carry these fields; messages in the log stay as they are."
    )
  }
  return (
    <div class="split">
      <form class="card form" aria-label="Field map" onSubmit={submitting(() => begin(save))}>
        {map.length === 0
          ? <p class="soft">No fields: messages carry only the fields of the contract.</p>
          : null}
        <Entries
          name="fields"
          path=""
          schema={bodyOf(`PUT ${route}`) ?? {}}
          isRequired
          value={map}
          change={(next) => {
            setSaid("")
            // Its entries have the fields of the declaration.
            setMap(next as ReadonlyArray<MessageFieldView>)
          }}
          faults={fault?.errors ?? []}
          business={slug}
          proposed={{ label: labelNames(pallets) }}
        />
        <FaultNote fault={fault} />
        <p class="ends">
          <button type="submit" class="primary">Save the map</button>
        </p>
        <Said>{said}</Said>
      </form>
      <Preview map={map} pallets={pallets} />
    </div>
  )
}

export const FieldMap = ({ resource: { path } }: { readonly resource: Resource }) => {
  const slug = decodeURIComponent(path.split("/")[4]!)
  const state = useLoaded(`field map ${slug}`, async () => {
    const [saved, ...lists] = await Promise.all([
      call(`GET ${route}`, { slug }),
      ...(["ARRIVED", "DEPARTED"] as const).map((status) => run(recentPallets, { business: slug, status }))
    ])
    return { saved, pallets: lists.flatMap(({ nodes }) => nodes.flatMap(({ pallets }) => pallets.nodes)) }
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
      <Loaded state={state}>
        {({ pallets, saved }) => <Editor slug={slug} path={path} saved={saved} pallets={pallets} />}
      </Loaded>
    </>
  )
}
