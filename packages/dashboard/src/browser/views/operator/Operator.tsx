/** The pages of operators. Each page is generated from the declared operations at its address. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { operationAt } from "../../api/operator.ts"
import { href, path } from "../../router.ts"
import { Change, useOutcome } from "./Change.tsx"
import { Entity } from "./Entity.tsx"
import { List } from "./List.tsx"
import { addressOf, firstChanges, firstLists, resourceAt, titleOf } from "./Resource.ts"

const Nav = () => {
  const current = useRef<HTMLAnchorElement>(null)
  // On a phone, some links are outside the screen.
  useEffect(() => current.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [path.value])
  return (
    <nav class="toolbar no-print" aria-label="Pages of operators">
      <div class="choices">
        {firstLists().map((list) => {
          const target = addressOf(list.path)
          const isCurrent = path.value.startsWith(target)
          return (
            <a
              key={target}
              ref={isCurrent ? current : null}
              href={href(target)}
              aria-current={isCurrent ? "true" : undefined}
            >
              {titleOf(list.path)}
            </a>
          )
        })}
      </div>
    </nav>
  )
}

/** The actions on the service as a whole, below the first list. They are rare, so the reader has to open them first. */
const OfService = () => {
  const outcome = useOutcome(() => undefined)
  return (
    <details class="card losing no-print">
      <summary>The service as a whole…</summary>
      {outcome.notice}
      {firstChanges().map((operation) => (
        <Change key={operation.pattern} operation={operation} path={operation.pattern} outcome={outcome} />
      ))}
    </details>
  )
}

/** The page at the address, below links to the pages of operators. */
export const Operator = ({ unknown }: { readonly unknown: ComponentChildren }) => {
  const resource = resourceAt(path.value)
  if (resource === undefined) return <>{unknown}</>
  const { pattern } = resource
  const isFirst = firstLists()[0]?.pattern === pattern && firstChanges().length > 0
  return (
    <>
      <Nav />
      <div class="view-part" key={path.value}>
        {operationAt("GET", pattern)?.kind === "list"
          ? <List resource={resource} />
          : <Entity resource={resource} />}
        {isFirst ? <OfService /> : null}
      </div>
    </>
  )
}
