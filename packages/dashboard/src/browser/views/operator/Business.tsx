/** A business: its name, its facilities, and the ways to what else belongs to it. */
import { call } from "../../api/operator.ts"
import { partsOfBusiness } from "../../nav.ts"
import { href } from "../../router.ts"
import { useActions } from "../../ui/forms.ts"
import { Loaded, Said, ThingHead } from "../../ui/Frame.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { businessPath } from "./Businesses.tsx"
import { differing } from "./Facility.tsx"
import { Listing, Settings } from "./Parts.tsx"

const route = "/v1/operator/businesses/:slug"

const Facilities = ({ slug }: { readonly slug: string }) => (
  <Listing
    list={`GET ${route}/facilities`}
    params={{ slug }}
    title="Facilities"
    isPart
    idOf={(facility) => facility.slug}
    columns={() => [
      [
        "Facility",
        (each) => <a href={href(businessPath(slug, "facilities", each.slug))}>{each.name}</a>,
        "main"
      ],
      ["Slug", (each) => each.slug, "mono"],
      ["Time zone", ({ timeZone }) => timeZone]
    ]}
    create={{
      route: `POST ${route}/facilities`,
      params: { slug },
      title: "Create a facility",
      differing,
      said: ({ name }) => `${name} is there. Add its docks on its page.`
    }}
    empty={["No facility yet", "Documents name the facility that a shipment belongs to: create the first."]}
  />
)

export const Business = ({ slug }: { readonly slug: string }) => {
  const state = usePolled(`business ${slug}`, () => call(`GET ${route}`, { slug }))
  const { said, tell } = useActions(state.reloadNow)
  return (
    <Loaded state={state} head={<ThingHead list="businesses" title={slug} />}>
      {({ name }) => (
        <>
          <ThingHead list="businesses" title={name}>
            <a class="button" href={href(businessPath(slug, "field-map"))}>Field map</a>
            <a class="button" href={href("/audit", { business: slug })}>Audit</a>
          </ThingHead>
          <Said>{said}</Said>
          <Settings
            title="Business"
            facts={[["Name", name], ["Slug, which stays", <span class="mono">{slug}</span>]]}
            change={{
              route: `PATCH ${route}`,
              params: { slug },
              title: `Rename ${name}`,
              values: { name },
              said: (business) => `The business is called ${business.name} now.`
            }}
            tell={tell}
          />
          <Facilities slug={slug} />
          {partsOfBusiness().map(([name, Part]) => <Part key={name} business={slug} />)}
        </>
      )}
    </Loaded>
  )
}
