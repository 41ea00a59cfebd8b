/** The EDI partners of a business: with whom files are exchanged, by which ids. */
import { Listing } from "@dockline/dashboard/browser/OperatorParts"
import { AskedTwice, call, over, Plain } from "@dockline/dashboard/browser/PageParts"
import type { EdiPartnerView } from "../domain/EdiPartnerOperations.ts"

const route = "/v1/operator/businesses/:slug/edi-partners"

type Side = EdiPartnerView["ours"]

const sideText = ({ id, qualifier }: Side): string => `${qualifier}/${id}`

export const EdiPartners = ({ business }: { readonly business: string }) => (
  <Listing
    list={`GET ${route}`}
    params={{ slug: business }}
    title="EDI partners"
    isPart
    idOf={({ slug }) => slug}
    columns={({ act, edit }) => [
      [
        "Partner",
        ({ name, slug, usage }) => over(name, `${slug}${usage === "T" ? ", in tests" : ""}`),
        "main"
      ],
      ["Facility", ({ facility }) => facility, "left"],
      ["Ids", ({ ours, theirs }) => `${sideText(theirs)} to ${sideText(ours)}`, "mono wide"],
      ["Takes", ({ takes }) => takes.join(", ") || "–", "left", "Takes"],
      ["Tells", ({ tells }) => tells.join(", ") || "–", "left", "Tells"],
      ["Change", ({ name, slug }) => (
        <span class="buttons">
          <Plain of={name} onClick={() => edit(slug)}>Change</Plain>
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
    create={{
      route: `POST ${route}`,
      params: { slug: business },
      title: "Create an EDI partner",
      values: {
        theirs: { qualifier: "ZZ", id: "" },
        ours: { qualifier: "ZZ", id: "" },
        takes: ["856", "940"],
        tells: ["856", "945", "944"]
      },
      said: ({ name }) => `Files of ${name} are taken now.`
    }}
    change={{
      route: `PATCH ${route}/:partner`,
      present: `GET ${route}/:partner`,
      of: (partner) => ({
        params: { slug: business, partner: partner.slug },
        title: `Change ${partner.name}`,
        values: { ...partner }
      }),
      said: ({ name }) => `${name} is changed.`
    }}
    empty={[
      "No EDI partner yet",
      "A partner sends ship notices and orders as X12, and is told what passed the door."
    ]}
  />
)
