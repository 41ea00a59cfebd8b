/** The businesses of an operator: the customers of the service. */
import { call } from "../../api/operator.ts"
import { href } from "../../router.ts"
import { loadSession } from "../../session.ts"
import { Advance } from "./Advance.tsx"
import { Form } from "./Form.tsx"
import { Listing } from "./Parts.tsx"

/** The address of the page of a business, or of what is below it. */
export const businessPath = (...parts: ReadonlyArray<string>): string =>
  `/businesses/${parts.map(encodeURIComponent).join("/")}`

export const Sandbox = () => <span class="badge" data-tone="calm">Sandbox</span>

export const Businesses = () => (
  <>
    <Listing
      id="businesses"
      title="Businesses"
      lead="These are the customers of the service. Each has its facilities, its docks and its messages, apart from the others."
      rest="/v1/operator/businesses"
      read={(page) => call("GET /v1/operator/businesses", page)}
      idOf={({ slug }) => slug}
      columns={() => [
        ["Business", ({ name, slug }) => <a href={href(businessPath(slug))}>{name}</a>, "main"],
        ["Slug", ({ slug }) => slug, "mono"],
        ["Kind", ({ sandbox }) => sandbox ? <Sandbox /> : null]
      ]}
      add="Create a business"
      form={({ cancel, done }) => (
        <Form
          route="POST /v1/operator/businesses"
          title="Create a business"
          word="Create"
          cancel={cancel}
          done={({ name }) => {
            void loadSession()
            done(`${name} is there. Add its first facility on its page.`)
          }}
        />
      )}
      empty={[
        "There is no business yet",
        "Create the first: documents, pallets and messages belong to a business."
      ]}
    />
    <Advance />
  </>
)
