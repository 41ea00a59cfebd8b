/**
 * Adapters and storage broken by hand, in one place each: the tests that are named must fail. Rules are mutated by Stryker;
 * these modules hold state and talk to databases and sockets, so that each mutant is chosen instead.
 */
export interface Mutant {
  /** What no longer holds. */
  readonly name: string
  readonly file: string
  /** Text that stands once in the file. */
  readonly from: string
  readonly to: string
  /** The tests that notice. */
  readonly tests: ReadonlyArray<string>
}

const http = "packages/http-adapter"
const graphql = "packages/graphql-adapter"
const webhook = "packages/webhook-adapter"
const sql = "packages/sql-storage"
const server = "packages/server"
const mcp = "packages/mcp-adapter"

const lockOfLog =
  `select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;`

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a key answers in JSON what was kept in XML",
    file: `${http}/src/handlers/Write.ts`,
    from: `charset ?? "", responseType]`,
    to: `charset ?? ""]`,
    tests: ["test/http/documents/Idempotency.test.ts"]
  },
  {
    name: "an encoded body is read as it is",
    file: "packages/wire/src/MediaType.ts",
    from: `["", "identity"].includes(`,
    to: `["", "identity", "gzip"].includes(`,
    tests: ["test/http"]
  },
  {
    name: "an unknown parameter is ignored",
    file: `${http}/src/answer/Parameters.ts`,
    from: `if (unknown.length > 0) {`,
    to: `if (unknown.length < 0) {`,
    tests: ["test/http/facility/FacilitySideChecks.test.ts"]
  },
  {
    name: "the last of two equal preferences counts",
    file: `${http}/src/handlers/Documents.ts`,
    from: `wellFormed && !values.has(name)`,
    to: `wellFormed`,
    tests: [`${http}/test/handlers/Preferences.test.ts`]
  },
  {
    name: "all pages of a client are read at once",
    file: `${http}/src/handlers/EndpointRoutes.ts`,
    from: `const pagesAtOnce = 2`,
    to: `const pagesAtOnce = 200`,
    tests: [`${http}/test/answer/CsvLists.test.ts`]
  },
  {
    name: "further pages do not count as requests",
    file: `${http}/src/handlers/EndpointRoutes.ts`,
    from: `Effect.andThen(countPage(clientId), inTurn(`,
    to: `Effect.andThen(Effect.void, inTurn(`,
    tests: [`${http}/test/answer/CsvLists.test.ts`]
  },
  {
    name: "a client forges its address behind a proxy",
    file: `${http}/src/tokens/ClientAddress.ts`,
    from: `if (!isTrusted(client) || isIP(address) === 0) break`,
    to: `if (isIP(address) === 0) break`,
    tests: [`${http}/test/tokens/ClientAddress.test.ts`]
  },
  {
    name: "a clock that is set back extends a window",
    file: `${http}/src/tokens/RateLimits.ts`,
    from: `now < endsAt && endsAt - now <= lengthMillis`,
    to: `now < endsAt`,
    tests: [`${http}/test/tokens/FixedWindows.test.ts`]
  },
  {
    name: "a client has one request more than its window",
    file: `${http}/src/tokens/RateLimits.ts`,
    from: `if (count >= perMinute)`,
    to: `if (count > perMinute)`,
    tests: [`${http}/test/tokens/RateLimits.test.ts`]
  },
  {
    name: "a token names another client than its subject",
    file: `${http}/src/tokens/Tokens.ts`,
    from: `typeof kid === "string" && clientId === sub ?`,
    to: `typeof kid === "string" && clientId !== undefined ?`,
    tests: [`${http}/test/TokenForgeries.test.ts`]
  },
  {
    name: "a token counts after it has expired, as it was verified before",
    file: `${http}/src/tokens/Tokens.ts`,
    from: `entry.keys !== keys || now >= entry.token.expiresAt`,
    to: `entry.keys !== keys`,
    tests: [`${http}/test/tokens/Tokens.test.ts`]
  },
  {
    name: "a token counts for keys that are gone",
    file: `${http}/src/tokens/Tokens.ts`,
    from: `entry.keys !== keys || now >= entry.token.expiresAt`,
    to: `now >= entry.token.expiresAt`,
    tests: [`${http}/test/tokens/Tokens.test.ts`]
  },
  {
    name: "a token has several spellings",
    file: `${http}/src/tokens/Tokens.ts`,
    from: `!compactForm.test(token) || !isCanonical(token)`,
    to: `!compactForm.test(token)`,
    tests: [`${http}/test/TokenForgeries.test.ts`]
  },
  {
    name: "fragments that no operation uses have no limits",
    file: `${graphql}/src/engine/GraphqlOperation.ts`,
    from: `...measures.fragments.flatMap((measure) => faultsOf(measure, unbound))`,
    to: `...[].flatMap((measure) => faultsOf(measure, unbound))`,
    tests: [`${graphql}/test/engine/OperationLimits.test.ts`]
  },
  {
    name: "an alias counts as often as it is written, and not as a fragment expands it",
    file: `${graphql}/src/engine/GraphqlOperation.ts`,
    from: `aliases: ["sum",`,
    to: `aliases: ["most",`,
    tests: [`${graphql}/test/engine/OperationLimits.test.ts`]
  },
  {
    name: "a key answers a mutation with other variables",
    file: `${graphql}/src/engine/Engine.ts`,
    from: `operationName ?? "", variables], (`,
    to: `operationName ?? ""], (`,
    tests: [`${graphql}/test/engine/KeyedMutations.test.ts`]
  },
  {
    name: "a key covers several mutations",
    file: `${graphql}/src/engine/Engine.ts`,
    from: `selections.length === 1 && selections[0]?.kind === Kind.FIELD`,
    to: `selections.length >= 1`,
    tests: [`${graphql}/test/engine/KeyedMutations.test.ts`]
  },
  {
    name: "an operation that was completed ends under the id of the next one",
    file: `${graphql}/src/socket/SocketProtocol.ts`,
    from: `dismiss()
      end.resolve(done)`,
    to: `dismiss()`,
    tests: [`${graphql}/test/OperationIds.test.ts`]
  },
  {
    name: "a frame without sign-in may be as long as any",
    file: `${graphql}/src/socket/SocketProtocol.ts`,
    from: `(connection.live === undefined && sizeOf(data) > initLimit)`,
    to: `sizeOf(data) < 0`,
    tests: [`${graphql}/test`]
  },
  {
    name: "a withdrawn token keeps its subscriptions",
    file: `${graphql}/src/socket/SocketProtocol.ts`,
    from:
      `(reason) => connection.close(reason === "stopping" ? 1001 : CloseCode.Forbidden, endTexts[reason])`,
    to: `(reason) => void (reason === "stopping" && connection.close(1001, endTexts[reason]))`,
    tests: [`${graphql}/test/LiveAuthorization.test.ts`]
  },
  {
    name: "each client has series of its own, however many there are",
    file: `${graphql}/src/live/Subscriptions.ts`,
    from: `groups.has(own) || groups.size < pairLimit`,
    to: `groups.has(own) || pairLimit > 0`,
    tests: [`${graphql}/test/live/SubscriptionLag.test.ts`]
  },
  {
    name: "a redirect is a success",
    file: `${webhook}/src/dispatch/Retry.ts`,
    from: `status >= 200 && status < 300`,
    to: `status >= 200 && status < 400`,
    tests: [`${webhook}/test/dispatch/Retry.test.ts`]
  },
  {
    name: "short waits that a customer asks for never end",
    file: `${webhook}/src/dispatch/Retry.ts`,
    from: `failing < patience ?`,
    to: `failing < Infinity ?`,
    tests: [`${webhook}/test/dispatch/Retry.test.ts`]
  },
  {
    name: "an old signing secret signs for ever",
    file: `${webhook}/src/dispatch/EndpointCredentials.ts`,
    from: `if (until <= now && until < latest) continue`,
    to: `if (until <= 0 && until < latest) continue`,
    tests: [`${webhook}/test/dispatch/Signature.test.ts`]
  },
  {
    name: "an address inside 6to4 is not looked at",
    file: `${webhook}/src/outbound/OutboundPolicy.ts`,
    from: `return [ipv4(one, two)]`,
    to: `return [address]`,
    tests: [`${webhook}/test/outbound/OutboundPolicy.test.ts`]
  },
  {
    name: "a public address is called without TLS",
    file: `${webhook}/src/outbound/OutboundPolicy.ts`,
    from: `if (!secure) return`,
    to: `if (text === "") return`,
    tests: [`${webhook}/test/outbound/OutboundPolicy.test.ts`]
  },
  {
    name: "a sealed secret opens for another business",
    file: `${webhook}/src/auth/SecretsKey.ts`,
    from: "`${version}.${id}.${context}`",
    to: "`${version}.${id}.${context.length * 0}`",
    tests: [`${webhook}/test/auth/SecretsKey.test.ts`]
  },
  {
    name: "a message that is repeated overtakes that which is being sent",
    file: `${webhook}/src/dispatch/DeliveryWindow.ts`,
    from: `state !== "waiting" || message.id <= delivery.message.id`,
    to: `message.id <= delivery.message.id`,
    tests: [`${webhook}/test/dispatch/DeliveryWindow.test.ts`, `${webhook}/test/DispatchLaws.test.ts`]
  },
  {
    name: "two requests of one batch run under one key",
    file: `${sql}/src/stores/KeptAnswers.ts`,
    from: `locks[at] === true && !claims.has(id)`,
    to: `locks[at] === true`,
    tests: [`${sql}/test/stores/KeyedDocuments.test.ts`]
  },
  {
    name: "a key answers another request",
    file: `${sql}/src/stores/KeptAnswers.ts`,
    from: `requests[at - 1]!.fingerprint === fingerprint`,
    to: `requests[at - 1]!.fingerprint.length > 0 && fingerprint.length > 0`,
    tests: [`${sql}/test/stores`]
  },
  {
    name: "an answer is kept for ever",
    file: `${sql}/sql/answers.sql`,
    from: "where kept.kept_at > dockline.answers_since(p_here, p_now);",
    to: "where kept.kept_at > dockline.answers_since(p_here, p_now) - interval '10 years';",
    tests: [`${sql}/test/stores`]
  },
  {
    name: "a dry run is written",
    file: "packages/core/src/memory/internal/MemoryShipmentStores.ts",
    from: `ids: dryRun ? noIds(plan) : database.apply(`,
    to: `ids: dryRun && document.orders.length > 9 ? noIds(plan) : database.apply(`,
    tests: ["packages/core/test/document/IntakeStore.test.ts"]
  },
  {
    name: "a page of messages says that it is the last",
    file: "packages/core/src/memory/internal/MemoryMessages.ts",
    from: `Result.succeed({ messages, more, lastId`,
    to: `Result.succeed({ messages, more: false, lastId`,
    tests: ["packages/core/test/messages/MessageLog.test.ts"]
  },
  {
    name: "an append wakes nobody",
    file: "packages/core/src/memory/internal/MemoryMessages.ts",
    from: `this.wakeups.wake(business)`,
    to: `void business`,
    tests: ["packages/core/test/movement/MovementStore.test.ts"]
  },
  {
    name: "a departure is told by no field map",
    file: `${sql}/sql/steps.sql`,
    from: `'fieldMap', (select field_map from dockline.business where id = p_business),`,
    to: `'fieldMap', '[]'::json,`,
    tests: [`${sql}/test/stores/SqlMovementStore.test.ts`]
  },
  {
    name: "nobody is told of a departure",
    file: `${sql}/src/stores/SqlMovementStore.ts`,
    from: `yield* announce(found.business.slug)`,
    to: `yield* announce(found.business.slug + "?")`,
    tests: [`${sql}/test/stores/SqlMovementStore.test.ts`]
  },
  {
    name: "a link is seen from one side",
    file: `${sql}/sql/steps.sql`,
    from: "values (p_business, p_shipment, p_linked), (p_business, p_linked, p_shipment);",
    to: "values (p_business, p_shipment, p_linked);",
    tests: [`${sql}/test/stores/SqlMovementStore.test.ts`]
  },
  {
    name: "a cleanup waits for what others have locked",
    file: `${sql}/src/stores/Cleanup.ts`,
    from: `if (now === 0 || results.some(({ held }) => held))`,
    to: `if (now === 0 && results.length < 0)`,
    tests: [`${sql}/test/stores/Cleanup.test.ts`]
  },
  {
    name: "messages get their ids without the lock of their log",
    file: `${sql}/sql/messages.sql`,
    from: lockOfLog,
    to: `insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business;`,
    tests: [`${sql}/test/MovementRaces.test.ts`]
  },
  {
    name: "a page begins with the last message of the page before",
    file: `${sql}/sql/messages.sql`,
    from: "p_after => v_after, p_to",
    to: "p_after => v_after - 1, p_to",
    tests: [`${sql}/test/stores/SqlMessageLog.test.ts`]
  },
  {
    name: "a sender whose lease has ended takes messages",
    file: `${sql}/sql/deliveries.sql`,
    from: `if v_endpoint.epoch is distinct from r.epoch or v_endpoint.settlements`,
    to: `if v_endpoint.epoch is null or v_endpoint.settlements`,
    tests: [`${sql}/test/stores/SqlDeliveryStore.test.ts`]
  },
  {
    name: "a sender whose lease lacks settlements in the database takes messages",
    file: `${sql}/sql/deliveries.sql`,
    from: `or v_endpoint.settlements < r.settlements or`,
    to: `or`,
    tests: [`${sql}/test/stores/SqlDeliveryStore.test.ts`]
  },
  {
    name: "a message overtakes one of its shipment that is to be sent again",
    file: `${sql}/sql/deliveries.sql`,
    from: `order by d.message_id limit 1) is not null as blocked`,
    to: `order by d.message_id limit 1) < 0 is true as blocked`,
    tests: [`${sql}/test/stores/SqlDeliveryStore.test.ts`]
  },
  {
    name: "results of a sender whose lease has ended are recorded",
    file: `${sql}/sql/deliveries.sql`,
    from: `and e.epoch = s.epoch
      and e.settlements`,
    to: `and e.settlements`,
    tests: [`${sql}/test/stores/SqlDeliveryStore.test.ts`]
  },
  {
    name: "results of a sender whose lease lacks settlements in the database are recorded",
    file: `${sql}/sql/deliveries.sql`,
    from: `and e.settlements - s.settlements in (0, 1) and`,
    to: `and`,
    tests: [`${sql}/test/stores/SqlDeliveryStore.test.ts`]
  },
  {
    name: "results of several senders are recorded if one lease is valid",
    file: `${sql}/sql/deliveries.sql`,
    from: `where v_all or r."endpointId" = any (v_held)
  on conflict`,
    to: `where v_all or cardinality(v_held) > 0
  on conflict`,
    tests: [`${sql}/test/stores/SqlDeliveryStore.test.ts`]
  },
  {
    name: "entries of outboxes get their ids without the lock of the log",
    file: `${sql}/sql/outboxes.sql`,
    from: lockOfLog,
    to: `insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business;`,
    tests: [`${sql}/test/deliveries/OutboxRaces.test.ts`]
  },
  {
    name: "an endpoint is not told which entries of outboxes it has missed",
    file: `${sql}/sql/deliveries.sql`,
    from: `greatest(v_dropped, max(o.dropped_id)) into`,
    to: `v_dropped into`,
    tests: [`${sql}/test/stores/SqlDeliveryStore.test.ts`]
  },
  {
    name: "what is to be sent again is dropped by age",
    file: `${sql}/sql/retention.sql`,
    from: `and message_id <= v_last and (status <> 'PENDING' or v_dropped = 9223372036854775807)`,
    to: `and message_id <= v_last`,
    tests: [`${sql}/test/Retention.test.ts`, `${sql}/test/stores/SqlDeliveryStore.test.ts`]
  },
  {
    name: "two steps of a shipment run at once",
    file: `${sql}/sql/steps.sql`,
    from: `where business_id = p_business and id = p_shipment for no key update;
  if not found then return null`,
    to: `where business_id = p_business and id = p_shipment;
  if not found then return null`,
    tests: [`${sql}/test/MovementRaces.test.ts`, `${sql}/test/stores/SqlMovementStore.test.ts`]
  },
  {
    name: "orders stay open when their shipment departs",
    file: `${sql}/sql/steps.sql`,
    from: `perform dockline.orders_end(p_business, p_shipment, 'COMPLETED');`,
    to: ``,
    tests: [`${sql}/test/stores/SqlMovementStore.test.ts`]
  },
  {
    name: "a cancelled shipment is found as one with discrepancies",
    file: `${sql}/sql/steps.sql`,
    from: `cancelled_at = p_cancelled_at, discrepant = false,`,
    to: `cancelled_at = p_cancelled_at,`,
    tests: [`${sql}/test/stores`]
  },
  {
    name: "tokens wait behind documents",
    file: `${server}/src/limits/WorkLane.ts`,
    from: `["/oauth/token", "tokens"]`,
    to: `["/oauth/token", "work"]`,
    tests: [`${server}/test/limits`]
  },
  {
    name: "a request for another host is answered",
    file: `${server}/src/limits/Guard.ts`,
    from: `if (host === undefined) return pass()
      CompleteResponse`,
    to: `if (host !== "") return pass()
      CompleteResponse`,
    tests: ["test/server/Hosts.test.ts"]
  },
  {
    name: "a misspelt setting is ignored",
    file: `${server}/src/settings/Settings.ts`,
    from: `return correction === undefined || environment.has(correction)`,
    to: `return correction !== undefined || environment.size > 0`,
    tests: [`${server}/test/settings`]
  },
  {
    name: "an agent sends a batch",
    file: `${mcp}/src/McpAdapter.ts`,
    from: `if (Array.isArray(value))`,
    to: `if (value === undefined)`,
    tests: [`${mcp}/test`]
  },
  {
    name: "an event between two pages is left out",
    file: "packages/epcis/src/query/EpcisEvents.ts",
    from: `return pageAt({ ...here, afterId: message.id - 1, number: index })`,
    to: `return pageAt({ ...here, afterId: message.id, number: 0 })`,
    tests: ["packages/epcis/test/query"]
  },
  {
    name: "a pallet that goes back is an event again when it is told once more",
    file: "packages/epcis/src/events/EventsOfMessage.ts",
    from: `return isThere || last === null ? { record, declarationTime: null } : last`,
    to: `return { record, declarationTime: null }`,
    tests: ["packages/epcis/test/events"]
  },
  {
    name: "a business whose messages were dropped publishes no more events",
    file: "packages/epcis/src/publish/Publisher.ts",
    from: `skipTo: (toId) => store.publish({ business, cursorId, toId, entries: [] })`,
    to: `skipTo: () => store.publish({ business, cursorId, toId: cursorId, entries: [] })`,
    tests: ["packages/epcis/test/publish"]
  }
]
