/**
 * Shows and edits what clients and people may do, and where.
 *
 * Guarantee: a change names what it adds or withdraws, and nothing else, so that what others grant at the same time stays.
 */
import type { ClientView } from "@dockline/core/operator/OperatorView"
import { useState } from "preact/hooks"
import { callWith } from "../../api/operator.ts"
import { businessOptions, facilityOptions, mayHaveMore } from "../../session.ts"
import { PageHead } from "../../ui/Frame.tsx"
import { Rows } from "../../ui/lists.tsx"
import { AskedTwice, Checks, Plain, Select, TextInput } from "../../ui/Parts.tsx"
import type { Options } from "../../ui/tables.ts"
import { optionsOf } from "../../ui/tables.ts"
import { Form } from "./Form.tsx"
import type { Editor } from "./Form.tsx"
import type { ListWork } from "./Parts.tsx"

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

/** Grants of one facility or of all, each of which is a line. */
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
          change={(line) => change(lines.with(at, line))}
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

/** Whose grants change: by what path, and with what parameters. */
type Holder =
  | { readonly path: "clients/:clientId"; readonly params: { readonly clientId: string } }
  | { readonly path: "people/:personId"; readonly params: { readonly personId: string } }

/** The grants of a client or a person, each permission with a button that withdraws it, and a form that adds some. */
export const GrantChanges = (
  { act, grants, name, of: { params, path }, tell }: Pick<ListWork, "act" | "tell"> & {
    readonly name: string
    readonly of: Holder
    readonly grants: ReadonlyArray<Grant>
  }
) => {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  const withdraw = (line: Grant, permission: Permission): void =>
    act(
      () =>
        callWith(`POST /v1/operator/${path}/grants/withdraw`, {
          ...params,
          body: { grants: [{ ...line, permissions: [permission] }] }
        }),
      `Withdrawn: ${permissions[permission]} at ${placesOf(line)}. It takes effect within 5 seconds.`
    )
  return (
    <>
      <PageHead title="Grants" isPart>
        {isOpen ? null : <Plain class="no-print" onClick={() => setOpen(true)}>Add grants</Plain>}
      </PageHead>
      {isOpen
        ? (
          <Form
            route={`POST /v1/operator/${path}/grants`}
            params={params}
            title={`Add grants to ${name}`}
            word="Add"
            values={{ grants: newGrants() }}
            editors={{ grants: grantEditor }}
            said={() => `${name} has these grants too within 5 seconds.`}
            cancel={close}
            done={(words) => {
              close()
              tell(words)
            }}
          />
        )
        : null}
      <section class="card" aria-label={`Grants of ${name}`}>
        {grants.length === 0
          ? <p class="soft none">None: nothing may be done.</p>
          : (
            <Rows
              rows={linesOf(grants).flatMap((line) =>
                line.permissions.map((permission) => ({ line, permission }))
              )}
              id={({ line, permission }) => `${placesOf(line)} ${permission}`}
              columns={[
                ["Place", ({ line }) => placesOf(line), "main"],
                ["May", ({ permission }) => permissions[permission]],
                ["Change", ({ line, permission }) => (
                  <AskedTwice
                    word="Withdraw"
                    of={`${permissions[permission]} at ${placesOf(line)}`}
                    act={() => withdraw(line, permission)}
                  />
                ), "number wide"]
              ]}
            />
          )}
      </section>
    </>
  )
}
