/** The saved mappings of a business: people choose one for a file, and save the present one for the partner's next file. */
import { AskedTwice, FaultNote, perform, Said, Select, useWork } from "@dockline/dashboard/browser/PageParts"
import { useEffect, useState } from "preact/hooks"
import type { SavedMappingView } from "../domain/SavedMapping.ts"
import type { Mapping } from "./Upload.tsx"

const path = "/v1/packing-lists/mappings"

/** A name for addresses, from a text that people write: `Nordwind GmbH` becomes `nordwind-gmbh`. */
const slugFrom = (text: string): string =>
  text.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "").slice(0, 63)

/** The mappings of a business, loaded once, and again after each change. */
export const useMappings = (business: string) => {
  const [mappings, setMappings] = useState<ReadonlyArray<SavedMappingView>>([])
  const load = async (): Promise<void> => {
    const page = await perform("GET", `${path}?${new URLSearchParams({ business }).toString()}`)
    setMappings((page as { readonly items: ReadonlyArray<SavedMappingView> }).items)
  }
  // If the list cannot be loaded, the choice stays empty, and people map files by hand.
  useEffect(() => void load().catch(() => {}), [business])
  return { mappings, load }
}

interface Props {
  readonly business: string
  /** The name of the mapping by which the file is read, or `""`. */
  readonly name: string
  readonly mapping: Mapping
  readonly list: ReturnType<typeof useMappings>
  readonly disabled: boolean
  readonly choose: (entry: SavedMappingView) => void
  readonly rename: (name: string) => void
}

export const SavedMappings = (
  { business, choose, disabled, mapping, name, rename, list: { load, mappings } }: Props
) => {
  const { begin, fault, isBusy } = useWork()
  const [text, setText] = useState(name)
  const [status, say] = useState("")
  useEffect(() => setText(name), [name])
  const slug = slugFrom(text)
  const isThere = mappings.some((each) => each.name === slug)
  const change = (what: string, body: object, done: string, next: string): void => {
    if (slug === "") return
    begin(async () => {
      say("")
      await perform("POST", `${path}${what}`, { business, ...body })
      await load()
      rename(next)
      say(done)
    })
  }
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          change("", { name: slug, mapping }, `Kept as ${slug}.`, slug)
        }}
      >
        <label>
          Read as for
          <Select
            disabled={disabled || mappings.length === 0}
            options={[
              ["", mappings.length === 0 ? "no partner yet" : "none of these partners"],
              ...mappings.map((each) => [each.name, each.name] as const)
            ]}
            value={mappings.some((each) => each.name === name) ? name : ""}
            onChange={({ currentTarget: { value } }) => {
              const match = mappings.find((each) => each.name === value)
              if (match !== undefined) choose(match)
            }}
          />
        </label>
        <label>
          Keep for partner
          <input
            value={text}
            maxLength={63}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isBusy || disabled || slug === "" || mapping.columns.length === 0}>
          {isThere ? `Replace ${slug}` : "Keep"}
        </button>
        {isThere
          ? (
            <AskedTwice
              word={`Delete ${slug}`}
              act={() => change("/delete", { name: slug }, `${slug} is deleted.`, "")}
            />
          )
          : null}
      </form>
      <Said>{status}</Said>
      <FaultNote fault={fault} />
    </>
  )
}
