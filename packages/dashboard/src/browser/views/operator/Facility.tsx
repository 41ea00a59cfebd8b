/** A facility: its name, its time zone and its docks. */
import { call } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { useActions } from "../../ui/forms.ts"
import { Loaded, Said, ThingHead } from "../../ui/Frame.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { businessPath } from "./Businesses.tsx"
import { labelOf } from "./Field.tsx"
import { Listing, Settings } from "./Parts.tsx"

/** How the field of the time zone differs from its declaration. */
export const differing = () => ({
  timeZone: { proposed: Intl.supportedValuesOf("timeZone").map((zone) => [zone] as const) }
})

const route = "/v1/operator/businesses/:slug/facilities/:facility"

interface FacilityProps {
  readonly business: string
  readonly slug: string
}

const Docks = ({ business, slug }: FacilityProps) => {
  const at = { slug: business, facility: slug }
  return (
    <Listing
      list={`GET ${route}/docks`}
      params={at}
      title="Docks"
      isPart
      idOf={(dock) => dock.slug}
      columns={() => [["Dock", (dock) => dock.slug, "main mono"]]}
      create={{
        route: `POST ${route}/docks`,
        params: at,
        title: "Create a dock",
        said: (dock) => `Dock ${dock.slug} is there.`
      }}
      empty={["No dock yet", "Towers report pallets at docks: create a dock for each door."]}
    />
  )
}

export const Facility = ({ business, slug }: FacilityProps) => {
  const at = { slug: business, facility: slug }
  const state = usePolled(`facility ${business}/${slug}`, () => call(`GET ${route}`, at))
  const { said, tell } = useActions(state.reloadNow)
  const above = <a href={href(businessPath(business))}>{business}</a>
  return (
    <Loaded state={state} head={<ThingHead list="businesses" above={above} title={slug} />}>
      {(facility) => (
        <>
          <ThingHead list="businesses" above={above} title={facility.name}>
            <a class="button" href={href(`/docks?at=${business}/${slug}`)}>To its board</a>
          </ThingHead>
          <Said>{said}</Said>
          <Settings
            title="Facility"
            facts={Object.entries(facility).filter(([field]) => field !== "correlationId")
              .map(([field, value]) => [labelOf(field), value])}
            change={{
              route: `PATCH ${route}`,
              params: at,
              title: `Change ${facility.name}`,
              values: { ...facility },
              differing,
              said: (facility) => `${facility.name} shows times in ${facility.timeZone}.`
            }}
            tell={tell}
          />
          <Docks business={business} slug={slug} />
        </>
      )}
    </Loaded>
  )
}
