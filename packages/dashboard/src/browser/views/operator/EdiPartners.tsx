/** The EDI partners of a business: with whom files are exchanged, by which ids. */
import { call } from "../../api/operator.ts"
import type { EdiPartnerView } from "../../api/operator.ts"
import { AskedTwice } from "../../ui/Parts.tsx"
import { Form } from "./Form.tsx"
import { Listing } from "./Parts.tsx"
import type { FormWork } from "./Parts.tsx"

const route = "/v1/operator/businesses/:slug/edi-partners"

type Side = EdiPartnerView["ours"]

const sideText = ({ id, qualifier }: Side): string => `${qualifier}/${id}`

const formOf =
  (business: string) => ({ cancel, done, id }: FormWork, partners: ReadonlyArray<EdiPartnerView>) => {
    const partner = partners.find(({ slug }) => slug === id)
    return partner === undefined
      ? (
        <Form
          route={`POST ${route}`}
          params={{ slug: business }}
          title="Create an EDI partner"
          word="Create"
          values={{
            theirs: { qualifier: "ZZ", id: "" },
            ours: { qualifier: "ZZ", id: "" },
            takes: ["856", "940"],
            tells: ["856", "945", "944"]
          }}
          cancel={cancel}
          done={({ name }) => done(`Files of ${name} are taken now.`)}
        />
      )
      : (
        <Form
          key={id}
          route={`PATCH ${route}/:partner`}
          params={{ slug: business, partner: partner.slug }}
          title={`Change ${partner.name}`}
          word="Save"
          values={partner}
          cancel={cancel}
          done={({ name }) => done(`${name} is changed.`)}
        />
      )
  }

/** The partners of a business. */
export const EdiPartners = ({ business }: { readonly business: string }) => (
  <Listing
    id={`edi-partners ${business}`}
    title="EDI partners"
    isPart
    rest={route.replace(":slug", encodeURIComponent(business))}
    read={(page) => call(`GET ${route}`, { slug: business, ...page })}
    idOf={({ slug }) => slug}
    columns={({ act, edit }) => [
      ["Partner", ({ name, slug, usage }) => (
        <>
          {name}
          <span class="sub">{slug}{usage === "T" ? ", in tests" : ""}</span>
        </>
      ), "main"],
      ["Facility", ({ facility }) => facility, "left"],
      ["Ids", ({ ours, theirs }) => `${sideText(theirs)} to ${sideText(ours)}`, "mono wide"],
      ["Takes", ({ takes }) => takes.join(", ") || "–", "left", "Takes"],
      ["Tells", ({ tells }) => tells.join(", ") || "–", "left", "Tells"],
      ["Change", ({ name, slug }) => (
        <span class="buttons">
          <button type="button" class="plain" onClick={() => edit(slug)}>
            Change<span class="unseen">{" "}{name}</span>
          </button>
          <AskedTwice
            word="Delete"
            of={name}
            act={() =>
              act(
                () => call(`DELETE ${route}/:partner`, { slug: business, partner: slug }),
                `Files of ${name} are refused now.`
              )}
          />
        </span>
      ), "number wide"]
    ]}
    add="Create an EDI partner"
    form={formOf(business)}
    empty={[
      "No EDI partner yet",
      "A partner sends ship notices and orders as X12, and is told what passed the door."
    ]}
  />
)
