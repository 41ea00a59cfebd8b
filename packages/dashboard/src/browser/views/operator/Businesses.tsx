/** The businesses of an operator: the customers of the service. */
import { href } from "../../router.ts"
import { Listing, Seldom } from "./Parts.tsx"

/** The address of the page of a business, or of what is below it. */
export const businessPath = (...parts: ReadonlyArray<string>): string =>
  `/businesses/${parts.map(encodeURIComponent).join("/")}`

export const Businesses = () => (
  <>
    <Listing
      list="GET /v1/operator/businesses"
      title="Businesses"
      lead="These are the customers of the service. Each has its facilities, its docks and its messages, apart from the others."
      idOf={({ slug }) => slug}
      columns={() => [
        ["Business", ({ name, slug }) => <a href={href(businessPath(slug))}>{name}</a>, "main"],
        ["Slug", ({ slug }) => slug, "mono"]
      ]}
      create={{
        route: "POST /v1/operator/businesses",
        title: "Create a business",
        said: ({ name }) => `${name} is there. Add its first facility on its page.`
      }}
      empty={[
        "There is no business yet",
        "Create the first: documents, pallets and messages belong to a business."
      ]}
    />
    <Seldom
      summary="After a restore: move the ids of messages on"
      note="Do this after the database was restored from a backup, or after a standby was promoted, so that lost ids are not used again. Ids never move back."
      form={{
        route: "POST /v1/operator/messages/advance",
        title: "Move the ids of messages on",
        word: "Move on",
        said: ({ newestId }) => `The next message gets an id above ${newestId}.`
      }}
    />
  </>
)
