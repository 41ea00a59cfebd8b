/** The pages of operators, by their addresses, which are those of the operator interface. */
import type { ComponentChildren } from "preact"
import { path } from "../../router.ts"
import { Audit } from "./Audit.tsx"
import { Business } from "./Business.tsx"
import { Businesses } from "./Businesses.tsx"
import { Client } from "./Client.tsx"
import { Clients } from "./Clients.tsx"
import { Facility } from "./Facility.tsx"
import { FieldMap } from "./FieldMap.tsx"
import { Nav } from "./Parts.tsx"
import { People } from "./People.tsx"
import { Webhook } from "./webhook/Webhook.tsx"
import { Webhooks } from "./webhook/Webhooks.tsx"

/** The parts of the path; none where it is no address. */
const partsOf = (address: string): ReadonlyArray<string> => {
  try {
    return address.slice(1).split("/").map(decodeURIComponent)
  } catch {
    return []
  }
}

const pageOf = ([list, id, part, of, ...rest]: ReadonlyArray<string>): ComponentChildren => {
  if (rest.length > 0) return null
  const isWhole = part === undefined
  switch (list) {
    case "businesses":
      if (id === undefined) return <Businesses />
      if (isWhole) return <Business slug={id} />
      if (part === "field-map" && of === undefined) return <FieldMap slug={id} />
      return part === "facilities" && of !== undefined ? <Facility business={id} slug={of} /> : null
    case "clients":
      return id === undefined ? <Clients /> : isWhole ? <Client id={id} /> : null
    case "people":
      return id === undefined ? <People /> : null
    case "webhooks":
      return id === undefined ? <Webhooks /> : isWhole && /^\d{1,16}$/.test(id) ? <Webhook id={id} /> : null
    default:
      return list === "audit" && id === undefined ? <Audit /> : null
  }
}

/** The page of the address, below the list of the pages of operators. */
export const Operator = ({ unknown }: {
  readonly unknown: ComponentChildren
}) => {
  const page = pageOf(partsOf(path.value))
  return page === null ? <>{unknown}</> : (
    <>
      <Nav />
      <div class="view-part" key={path.value}>{page}</div>
    </>
  )
}
