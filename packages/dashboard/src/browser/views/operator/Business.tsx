/** A business: its name, its facilities, and the ways to what else belongs to it. */
import { useState } from "preact/hooks"
import { call } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { loadSession } from "../../session.ts"
import { Loaded, ThingHead } from "../../ui/Frame.tsx"
import { usePolled } from "../../ui/loaded.ts"
import { Fact } from "../../ui/Parts.tsx"
import { businessPath, Sandbox } from "./Businesses.tsx"
import { EdiPartners } from "./EdiPartners.tsx"
import { zones } from "./Facility.tsx"
import { Form } from "./Form.tsx"
import { Listing, Settings } from "./Parts.tsx"

const facilitiesRoute = "/v1/operator/businesses/:slug/facilities"

const Facilities = ({ slug }: { readonly slug: string }) => (
  <Listing
    id={`facilities ${slug}`}
    title="Facilities"
    isPart
    rest={facilitiesRoute.replace(":slug", encodeURIComponent(slug))}
    read={(page) => call(`GET ${facilitiesRoute}`, { slug, ...page })}
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
    add="Create a facility"
    form={({ cancel, done }) => (
      <Form
        route={`POST ${facilitiesRoute}`}
        params={{ slug }}
        title="Create a facility"
        word="Create"
        differing={() => ({ timeZone: { proposed: zones() } })}
        cancel={cancel}
        done={({ name }) => {
          void loadSession()
          done(`${name} is there. Add its docks on its page.`)
        }}
      />
    )}
    empty={["No facility yet", "Documents name the facility that a shipment belongs to: create the first."]}
  />
)

export const Business = ({ slug }: { readonly slug: string }) => {
  const state = usePolled(`business ${slug}`, () => call("GET /v1/operator/businesses/:slug", { slug }))
  const [said, setSaid] = useState("")
  return (
    <Loaded state={state} head={<ThingHead list="businesses" title={slug} />}>
      {({ name, sandbox }) => {
        document.title = `${name} · Dockline`
        return (
          <>
            <ThingHead
              list="businesses"
              title={name}
              badges={sandbox ? <Sandbox /> : null}
            >
              <a class="button" href={href(businessPath(slug, "field-map"))}>Field map</a>
              <a class="button" href={href(`/audit?business=${encodeURIComponent(slug)}`)}>
                Audit
              </a>
            </ThingHead>
            <p class="said soft" role="status">{said}</p>
            <Settings
              title="Business"
              form={(close) => (
                <Form
                  route="PATCH /v1/operator/businesses/:slug"
                  params={{ slug }}
                  title={`Rename ${name}`}
                  word="Save"
                  values={{ name }}
                  cancel={close}
                  done={(changed) => {
                    close()
                    setSaid(`The business is called ${changed.name} now.`)
                    state.reloadNow()
                    void loadSession()
                  }}
                />
              )}
            >
              <dl class="facts">
                <Fact name="Name">{name}</Fact>
                <Fact name="Slug, which stays">
                  <span class="mono">{slug}</span>
                </Fact>
              </dl>
            </Settings>
            <Facilities slug={slug} />
            <EdiPartners business={slug} />
          </>
        )
      }}
    </Loaded>
  )
}
