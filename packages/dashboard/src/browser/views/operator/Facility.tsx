/** A facility: its name, its time zone and its docks. */
import { useState } from "preact/hooks"
import { call } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { loadSession } from "../../session.ts"
import { Loaded, ThingHead } from "../../ui/Frame.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { Fact } from "../../ui/Parts.tsx"
import { businessPath } from "./Businesses.tsx"
import { labelOf } from "./Field.tsx"
import { Form } from "./Form.tsx"
import { Listing, Settings } from "./Parts.tsx"

export const zones = (): ReadonlyArray<string> => Intl.supportedValuesOf("timeZone")

const route = "/v1/operator/businesses/:slug/facilities/:facility"

interface FacilityProps {
  readonly business: string
  readonly slug: string
}

const Docks = ({ business, slug }: FacilityProps) => {
  const at = { slug: business, facility: slug }
  return (
    <Listing
      id={`docks ${business}/${slug}`}
      title="Docks"
      isPart
      rest={`/v1/operator${businessPath(business, "facilities", slug)}/docks`}
      read={(page) => call(`GET ${route}/docks`, { ...at, ...page })}
      idOf={(dock) => dock.slug}
      columns={() => [["Dock", (dock) => dock.slug, "main mono"]]}
      add="Create a dock"
      form={({ cancel, done }) => (
        <Form
          route={`POST ${route}/docks`}
          params={at}
          title="Create a dock"
          word="Create"
          cancel={cancel}
          done={(dock) => {
            void loadSession()
            done(`Dock ${dock.slug} is there.`)
          }}
        />
      )}
      empty={["No dock yet", "Towers report pallets at docks: create a dock for each door."]}
    />
  )
}

export const Facility = ({ business, slug }: FacilityProps) => {
  const at = { slug: business, facility: slug }
  const state = usePolled(`facility ${business}/${slug}`, () => call(`GET ${route}`, at))
  const [said, setSaid] = useState("")
  const above = <a href={href(businessPath(business))}>{business}</a>
  return (
    <Loaded state={state} head={<ThingHead list="businesses" above={above} title={slug} />}>
      {(facility) => {
        const { name } = facility
        document.title = `${name} · Dockline`
        return (
          <>
            <ThingHead list="businesses" above={above} title={name}>
              <a class="button" href={href(`/docks?at=${business}/${slug}`)}>To its board</a>
            </ThingHead>
            <p class="said soft" role="status">{said}</p>
            <Settings
              title="Facility"
              form={(close) => (
                <Form
                  route={`PATCH ${route}`}
                  params={at}
                  title={`Change ${name}`}
                  word="Save"
                  values={{ ...facility }}
                  differing={() => ({ timeZone: { proposed: zones() } })}
                  cancel={close}
                  done={(changed) => {
                    close()
                    setSaid(`${changed.name} shows times in ${changed.timeZone}.`)
                    state.reloadNow()
                    void loadSession()
                  }}
                />
              )}
            >
              <dl class="facts">
                {Object.entries(facility).filter(([field]) => field !== "correlationId").map((
                  [field, value]
                ) => <Fact key={field} name={labelOf(field)}>{value}</Fact>)}
              </dl>
            </Settings>
            <Docks business={business} slug={slug} />
          </>
        )
      }}
    </Loaded>
  )
}
