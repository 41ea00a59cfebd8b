/** The pages of operators: each is drawn from the declarations of what is at its address, unless one is written by hand. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { operationAt } from "../../api/operator.ts"
import { href, path } from "../../router.ts"
import { Change, Entity } from "./Entity.tsx"
import { List } from "./List.tsx"
import { useOutcome } from "./Outcome.tsx"
import { overrideOf } from "./Overrides.tsx"
import { addressOf, firstChanges, firstLists, resourceAt, titleOf } from "./Resource.ts"
import type { Resource } from "./Resource.ts"

const Nav = () => {
  const current = useRef<HTMLAnchorElement>(null)
  // On a phone not all of them fit.
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

/** What is done to the service as a whole, below the first of the lists: seldom, so that it opens first. */
const OfService = () => {
  const outcome = useOutcome(() => undefined)
  return (
    <details class="card losing no-print">
      <summary>The service as a whole…</summary>
      {outcome.notice}
      {firstChanges().map(({ operation, path }) => (
        <Change key={path} operation={operation} path={path} outcome={outcome} />
      ))}
    </details>
  )
}

const PageOf = ({ resource }: { readonly resource: Resource }) => {
  const { Page } = overrideOf(resource.pattern)
  if (Page !== undefined) return <Page resource={resource} />
  if (operationAt("GET", resource.pattern)?.kind !== "list") return <Entity resource={resource} />
  return (
    <>
      <List resource={resource} />
      {firstLists()[0]?.pattern === resource.pattern && firstChanges().length > 0 ? <OfService /> : null}
    </>
  )
}

/** The page of the address, below the list of the pages of operators. */
export const Operator = ({ unknown }: { readonly unknown: ComponentChildren }) => {
  const resource = resourceAt(path.value)
  return resource === undefined ? <>{unknown}</> : (
    <>
      <Nav />
      <div class="view-part" key={path.value}>
        <PageOf resource={resource} />
      </div>
    </>
  )
}
