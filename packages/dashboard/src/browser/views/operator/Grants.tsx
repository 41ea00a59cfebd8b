/** Shows and edits what clients and people may do, and where. */
import { useId } from "preact/hooks"
import type { ClientView } from "../../api/operator.ts"
import { mayHaveMore, session } from "../../session.ts"
import { Plain, TextInput } from "../../ui/Parts.tsx"
import type { Editor } from "./Form.tsx"

type Grant = ClientView["grants"][number]
type Permission = Grant["permissions"][number]

/** All businesses, or all facilities of one, those to come too. */
const everything = "*"

const permissions: Readonly<Record<Permission, string>> = {
  "documents:write": "Send documents",
  "messages:read": "Read messages",
  "pallets:write": "Report pallets",
  "shipments:write": "Move shipments",
  operator: "Operate"
}

const placesOf = ({ business, facilities }: Grant): string => {
  const name = business === everything ? "all businesses" : business
  return facilities === everything ? name : `${name}: ${facilities.join(", ")}`
}

export const Grants = ({ grants }: { readonly grants: ReadonlyArray<Grant> }) =>
  grants.length === 0
    ? <span class="soft">None</span>
    : (
      <>
        {grants.map((grant, at) => (
          <span key={at} class="grant">
            {placesOf(grant)}{" "}
            <span class="sub">
              {grant.permissions.map((permission) => permissions[permission]).join(", ")}
            </span>
          </span>
        ))}
      </>
    )

/** A grant for one facility or for all, as forms have it. */
interface GrantLine {
  readonly business: string
  readonly facility: string
  readonly permissions: ReadonlyArray<Permission>
}

const linesOf = (grants: ReadonlyArray<Grant>): ReadonlyArray<GrantLine> =>
  grants.flatMap(({ business, facilities, permissions }) =>
    (facilities === everything ? [everything] : facilities).map((facility) => ({
      business,
      facility,
      permissions
    }))
  )

const grantsOf = (lines: ReadonlyArray<GrantLine>): ReadonlyArray<Grant> =>
  lines.map(({ business, facility, permissions }) => ({
    business,
    facilities: facility === everything ? everything : [facility],
    permissions
  }))

/** A line of a new grant: what a supervisor at a dock needs. */
const newLine = (): GrantLine => ({
  business: session.value?.businesses[0]?.slug ?? everything,
  facility: everything,
  permissions: ["messages:read"]
})

interface Entry {
  readonly slug: string
  readonly name: string
}

/** The field for the business or the facility of a grant. Where the session does not name all, others can be written. */
const PlaceField = ({ change, chosen, label, named }: {
  readonly label: string
  readonly chosen: string
  readonly named: ReadonlyArray<Entry>
  readonly change: (slug: string) => void
}) => {
  const id = useId()
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    change(currentTarget.value)
  if (mayHaveMore.value) {
    return (
      <label>
        {label}
        <TextInput
          value={chosen}
          required
          list={id}
          placeholder={`${everything} for all`}
          onInput={onInput}
        />
        <datalist id={id}>
          {named.map(({ name, slug }) => <option key={slug} value={slug}>{name}</option>)}
        </datalist>
      </label>
    )
  }
  const isKnown = named.some(({ slug }) => slug === chosen)
  return (
    <label>
      {label}
      <select value={chosen} onChange={onInput}>
        {(isKnown ? named : [...named, { slug: chosen, name: chosen }]).map(({ name, slug }) => (
          <option key={slug} value={slug}>{name}</option>
        ))}
      </select>
    </label>
  )
}

interface LineProps {
  readonly at: number
  readonly line: GrantLine
  readonly change: (line: GrantLine) => void
  readonly remove: () => void
}

const Line = ({ at, change, line, remove }: LineProps) => {
  const businesses = session.value?.businesses ?? []
  const facilities = businesses.find(({ slug }) => slug === line.business)?.facilities ?? []
  return (
    <fieldset class="grant-line">
      <legend class="unseen">Grant {at + 1}</legend>
      <PlaceField
        label="Business"
        chosen={line.business}
        named={[...businesses, { slug: everything, name: "All businesses" }]}
        change={(business) => change({ ...line, business, facility: everything })}
      />
      <PlaceField
        label="Facility"
        chosen={line.facility}
        named={[{ slug: everything, name: "All facilities" }, ...facilities]}
        change={(facility) => change({ ...line, facility })}
      />
      <div class="checks">
        {(Object.entries(permissions) as ReadonlyArray<[Permission, string]>).map(([permission, words]) => (
          <label key={permission} title={permission}>
            <input
              type="checkbox"
              checked={line.permissions.includes(permission)}
              onChange={({ currentTarget: { checked } }) =>
                change({
                  ...line,
                  permissions: checked
                    ? [...line.permissions, permission]
                    : line.permissions.filter((each) => each !== permission)
                })}
            />
            {words}
          </label>
        ))}
      </div>
      <Plain onClick={remove}>Remove grant</Plain>
    </fieldset>
  )
}

export const newGrants = (): ReadonlyArray<Grant> => grantsOf([newLine()])

/** The lines of a form for grants, with buttons to add and remove lines. */
export const grantEditor: Editor = (value, change) => {
  // The form keeps grants in this field.
  const lines = linesOf((value ?? []) as ReadonlyArray<Grant>)
  const changeTo = (next: ReadonlyArray<GrantLine>): void => change(grantsOf(next))
  return (
    <>
      {lines.map((line, at) => (
        <Line
          key={at}
          at={at}
          line={line}
          change={(changed) => changeTo(lines.with(at, changed))}
          remove={() => changeTo(lines.toSpliced(at, 1))}
        />
      ))}
      <p>
        <Plain onClick={() => changeTo([...lines, newLine()])}>
          {lines.length === 0 ? "Add a grant" : "Add another grant"}
        </Plain>
      </p>
    </>
  )
}
