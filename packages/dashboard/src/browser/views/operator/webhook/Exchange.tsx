/** A request to a customer's server beside its answer, as they went over the wire. */

import { Quote } from "../../../ui/Parts.tsx"

/** The head and the body of a request or an answer; the head may be unknown. */
interface Half {
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

interface ExchangeProps {
  readonly request: (Half & { readonly url: string }) | null
  readonly status: number | null
  readonly answer: Half | null
}

const textOf = (first: string, { body, headers = {} }: Half): string =>
  [
    first,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === "" ? [] : ["", body])
  ].join("\n")

export const Exchange = ({ answer, request, status }: ExchangeProps) => (
  <div class="exchange">
    {request === null ? null : <Quote caption="Request">{textOf(`POST ${request.url}`, request)}</Quote>}
    {answer === null || status === null
      ? null
      : <Quote caption="Answer">{textOf(String(status), answer)}</Quote>}
  </div>
)
