/** Shows and edits what clients and people may do, and where. */
import type { ClientView } from "../../api/operator.ts"
import { session } from "../../session.ts"
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

/** The grants of somebody. */
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

/** The lines of a form for grants. */
const linesOf = (grants: ReadonlyArray<Grant>): ReadonlyArray<GrantLine> =>
  grants.flatMap(({ business, facilities, permissions }) =>
    (facilities === everything ? [everything] : facilities).map((facility) => ({
      business,
      facility,
      permissions
    }))
  )

/** The grants of the lines of a form. */
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

interface LineProps {
  readonly at: number
  readonly line: GrantLine
  readonly change: (line: GrantLine) => void
  readonly remove: () => void
}

const Line = ({ at, change, line, remove }: LineProps) => {
  const businesses = session.value?.businesses ?? []
  const facilities = businesses.find(({ slug }) => slug === line.business)?.facilities ?? []
  /** The options, with a chosen one that the session does not know. */
  const optionsOf = (
    named: ReadonlyArray<{ readonly slug: string; readonly name: string }>,
    chosen: string
  ) =>
    chosen === everything || named.some(({ slug }) => slug === chosen)
      ? named
      : [...named, { slug: chosen, name: chosen }]
  return (
    <fieldset class="grant-line">
      <legend class="unseen">Grant {at + 1}</legend>
      <label>
        Business
        <select
          value={line.business}
          onChange={({ currentTarget: { value } }) =>
            change({ ...line, business: value, facility: everything })}
        >
          {optionsOf(businesses, line.business).map(({ name, slug }) => (
            <option key={slug} value={slug}>{name}</option>
          ))}
          <option value={everything}>All businesses</option>
        </select>
      </label>
      <label>
        Facility
        <select
          value={line.facility}
          onChange={({ currentTarget: { value } }) => change({ ...line, facility: value })}
        >
          <option value={everything}>All facilities</option>
          {optionsOf(facilities, line.facility).map(({ name, slug }) => (
            <option key={slug} value={slug}>{name}</option>
          ))}
        </select>
      </label>
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
      <button type="button" class="plain" onClick={remove}>Remove grant</button>
    </fieldset>
  )
}

/** What a new client or person may do at first. */
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
        <button type="button" class="plain" onClick={() => changeTo([...lines, newLine()])}>
          {lines.length === 0 ? "Add a grant" : "Add another grant"}
        </button>
      </p>
    </>
  )
}
