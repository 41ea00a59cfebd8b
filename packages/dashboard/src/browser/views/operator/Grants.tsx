/** Shows and edits what clients and people may do, and where. */
import type { ClientView } from "@dockline/core/internal/operator/OperatorView"
import { businessOptions, facilityOptions, mayHaveMore } from "../../session.ts"
import { Checks, Plain, Select, TextInput } from "../../ui/Parts.tsx"
import type { Options } from "../../ui/tables.ts"
import { optionsOf } from "../../ui/tables.ts"
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

/** Grants of one facility or of all, each of which is a line of the form. */
const linesOf = (grants: ReadonlyArray<Grant>): ReadonlyArray<Grant> =>
  grants.flatMap((grant) =>
    grant.facilities === everything
      ? [grant]
      : grant.facilities.map((facility) => ({ ...grant, facilities: [facility] }))
  )

/** A line of a new grant: what a supervisor at a dock needs. */
const newLine = (): Grant => ({
  business: businessOptions()[0]?.[0] ?? everything,
  facilities: everything,
  permissions: ["messages:read"]
})

/** The field for the business or the facility of a grant. Where the session does not name all, others can be written. */
const PlaceField = ({ change, chosen, label, named }: {
  readonly label: string
  readonly chosen: string
  readonly named: Options
  readonly change: (slug: string) => void
}) => {
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    change(currentTarget.value)
  const isKnown = named.some(([slug]) => slug === chosen)
  return (
    <label>
      {label}
      {mayHaveMore.value
        ? (
          <TextInput
            value={chosen}
            required
            proposed={named}
            placeholder={`${everything} for all`}
            onInput={onInput}
          />
        )
        : (
          <Select
            value={chosen}
            options={isKnown ? named : [...named, [chosen, chosen]]}
            onChange={onInput}
          />
        )}
    </label>
  )
}

interface LineProps {
  readonly at: number
  readonly line: Grant
  readonly change: (line: Grant) => void
  readonly remove: () => void
}

const Line = ({ at, change, line, remove }: LineProps) => (
  <fieldset class="grant-line">
    <legend class="unseen">Grant {at + 1}</legend>
    <PlaceField
      label="Business"
      chosen={line.business}
      named={[...businessOptions(), [everything, "All businesses"]]}
      change={(business) => change({ ...line, business, facilities: everything })}
    />
    <PlaceField
      label="Facility"
      chosen={line.facilities === everything ? everything : line.facilities[0] ?? everything}
      named={[[everything, "All facilities"], ...facilityOptions(line.business)]}
      change={(facility) =>
        change({ ...line, facilities: facility === everything ? everything : [facility] })}
    />
    <Checks
      options={optionsOf(permissions)}
      chosen={line.permissions}
      change={(permissions) => change({ ...line, permissions })}
    />
    <Plain onClick={remove}>Remove grant</Plain>
  </fieldset>
)

export const newGrants = (): ReadonlyArray<Grant> => [newLine()]

/** The lines of a form for grants, with buttons to add and remove lines. */
export const grantEditor: Editor = (value, change) => {
  // The form keeps grants in this field.
  const lines = linesOf((value ?? []) as ReadonlyArray<Grant>)
  return (
    <>
      {lines.map((line, at) => (
        <Line
          key={at}
          at={at}
          line={line}
          change={(changed) => change(lines.with(at, changed))}
          remove={() => change(lines.toSpliced(at, 1))}
        />
      ))}
      <p>
        <Plain onClick={() => change([...lines, newLine()])}>
          {lines.length === 0 ? "Add a grant" : "Add another grant"}
        </Plain>
      </p>
    </>
  )
}
