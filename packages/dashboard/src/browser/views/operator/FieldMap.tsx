/** The field map of a business: which labels of pallets its messages carry, shown on a pallet that a tower has seen lately. */
import type { MessageFieldView } from "@dockline/core/operator/OperatorView"
import { customerFields } from "@dockline/core/places/CustomerFields"
import { useState } from "preact/hooks"
import { bodyOf } from "../../api/bodies.ts"
import { recentPallets } from "../../api/operations.ts"
import type { LabelledPallet } from "../../api/operations.ts"
import { call, callWith, targetOf } from "../../api/operator.ts"
import { changedMeanwhile, faultOf, run, versionAt } from "../../api/request.ts"
import { href } from "../../router.ts"
import { submitting, useWork } from "../../ui/forms.ts"
import { Empty, FaultNote, Loaded, Said, ThingHead } from "../../ui/Frame.tsx"
import { useLoaded, useStill } from "../../ui/loaded.ts"
import { Plain, Quote, Select } from "../../ui/Parts.tsx"
import { businessPath } from "./Businesses.tsx"
import { Field, within } from "./Field.tsx"
import { meanwhile } from "./Form.tsx"

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
          {JSON.stringify(
            customerFields(map.filter(({ name }) => name !== ""), pallet.labels, new Date().toISOString()),
            null,
            2
          )}
        </Quote>
      </div>
    </section>
  )
}

const Editor = ({ pallets, saved, slug }: {
  readonly slug: string
  readonly saved: ReadonlyArray<MessageFieldView>
  readonly pallets: ReadonlyArray<LabelledPallet>
}) => {
  const target = targetOf(`PUT ${route}`, { slug })
  const body = bodyOf(`PUT ${route}`)
  const [map, setMap] = useState(saved)
  /** The version of the map that is replaced. */
  const [version, setVersion] = useState(() => versionAt(target))
  const [said, setSaid] = useState("")
  const { begin, fault } = useWork()
  const change = (next: ReadonlyArray<MessageFieldView>): void => {
    setSaid("")
    setMap(next)
  }
  return (
    <div class="split">
      <form
        class="card form"
        aria-label="Field map"
        onSubmit={submitting(() =>
          begin(async () => {
            const save = callWith(`PUT ${route}`, { slug, body: map }, undefined, version)
            const answer = await save.catch((error: unknown) => {
              if (faultOf(error).code !== changedMeanwhile) throw error
            })
            setMap(answer ?? await call(`GET ${route}`, { slug }))
            setVersion(versionAt(target))
            setSaid(
              answer === undefined
                ? meanwhile
                : "Saved. New messages carry these fields; messages in the log stay as they are."
            )
          })
        )}
      >
        {map.length === 0
          ? <p class="soft">No fields: messages carry only the fields of the contract.</p>
          : map.map((field, at) => (
            <fieldset key={at} class="field-row">
              <legend class="unseen">Field {at + 1}</legend>
              {(["name", "label", "list"] as const).map((name) => (
                <Field
                  key={name}
                  name={name}
                  path={`[${at}].${name}`}
                  schema={body?.items?.properties?.[name] ?? {}}
                  isRequired={name !== "list"}
                  value={field[name]}
                  change={(value) => change(map.with(at, { ...field, [name]: value }))}
                  faults={within(fault?.errors ?? [], `[${at}].${name}`)}
                  hint=""
                  {...(name === "list" ? { label: "All its values" } : {})}
                  {...(name === "label" ? { proposed: labelNames(pallets) } : {})}
                />
              ))}
              <Plain of={`field ${at + 1}`} onClick={() => change(map.toSpliced(at, 1))}>Remove</Plain>
            </fieldset>
          ))}
        <FaultNote fault={fault} />
        <p class="ends">
          <Plain
            disabled={map.length >= (body?.maxItems ?? Infinity)}
            onClick={() => change([...map, { name: "", label: "", list: false }])}
          >
            Add a field
          </Plain>
          <button type="submit" class="primary">Save the map</button>
        </p>
        <Said>{said}</Said>
      </form>
      <Preview map={map} pallets={pallets} />
    </div>
  )
}

export const FieldMap = ({ slug }: { readonly slug: string }) => {
  const state = useLoaded(`field map ${slug}`, async () => {
    const [saved, ...found] = await Promise.all([
      call(`GET ${route}`, { slug }),
      ...(["ARRIVED", "DEPARTED"] as const).map((status) => run(recentPallets, { business: slug, status }))
    ])
    return { saved, pallets: found.flatMap(({ nodes }) => nodes.flatMap(({ pallets }) => pallets.nodes)) }
  })
  useStill()
  return (
    <>
      <ThingHead
        list="businesses"
        above={<a href={href(businessPath(slug))}>{slug}</a>}
        title={`Field map of ${slug}`}
        lead="Which labels of pallets the messages of the business carry, and under which names."
      />
      <Loaded state={state}>
        {({ pallets, saved }) => <Editor slug={slug} saved={saved} pallets={pallets} />}
      </Loaded>
    </>
  )
}
