/**
 * The service broken by hand, in one place each: the checker must notice this in a run. A check that cannot fail would prove nothing.
 */
import type { Replacement } from "../../../../programs/Bundle.mjs"
import type { InvariantName } from "../checker/Checker.ts"
import type { FaultKind } from "../faults/Schedule.ts"
import type { Course } from "../run/RunOptions.ts"

/**
 * The replacements in the sources of the service, the invariants that notice them, and the course of the runs (by default the ordinary
 * one).
 */
interface Sabotage {
  readonly expects: InvariantName
  /** One place, or several if one guard backs up another. */
  readonly replaced: ReadonlyArray<Replacement>
  readonly shown: {
    readonly course?: Course
    /** The fault that shows it: runs begin with a seed that has this fault. */
    readonly fault?: FaultKind
  }
}

type Place = readonly [file: string, from: string, to: string]

/** The invariants that notice a sabotage, and the places that are replaced in turn. */
const breaks = (
  expects: InvariantName,
  shown: Sabotage["shown"],
  ...places: ReadonlyArray<Place>
): Sabotage => ({ expects, shown, replaced: places.map(([file, from, to]) => ({ file, from, to })) })

const storage = "packages/sql-storage/src"
const sql = "packages/sql-storage/sql"
const cluster = `${storage}/schema/cluster`
const socket = "packages/graphql-adapter/src/socket"
const limits = "packages/server/src/limits"
const telemetry = "packages/server/src/telemetry"
const core = "packages/core/src"

const drawing = (read: string, drawn: string): string =>
  `  ${read}
  v_sent_at := greatest(v_sent_at, coalesce(p_now, date_trunc('milliseconds', clock_timestamp())));
  with appended as (
    insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload,
      trace)
    select p_business, ${drawn}, (draft->>0)::bigint,`

const lockOfLog =
  `select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;`

/** The same without its lock. */
const readOfLog = `insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business;`

const nextId = "nextval('dockline.message_id')"

/** Draws the ids of messages without the lock of the log, and writes them a moment later, as under heavy load. */
const unlockedIds = {
  from: drawing(lockOfLog, nextId),
  to: drawing(readOfLog, `${nextId} + case when pg_sleep(random() * 0.03) is null then 1 else 0 end`)
}

/** The answer to a single operation is sent when everything has been written, before the commit. */
const earlyAnswer = (work: string, business: string): string =>
  `Effect.flatMap(Effect.context(), (context) =>
            Effect.callback((resume) => {
              const written = Effect.tap(${work}, (done) => {
                resume(Effect.succeed(done))
                return Effect.sleep(50)
              })
              const held = answers.alone({ business: ${business} }, keep, written)
              Effect.runForkWith(context)(held).addObserver((exit) => resume(exit as never))
            }))`

/** The answers of a batch are sent when the plans have been written, before the commit. */
const earlyAnswers = `Effect.exit(Effect.flatMap(Effect.context(), (context) =>
        Effect.callback((resume) => {
          const held = Effect.tap(attempt, (decided) => {
            resume(Effect.succeed(decided))
            return Effect.delay(decided.done.end ?? Effect.void, 50)
          })
          Effect.runForkWith(context)(lend({ lane: "requests", isPipelined: true, node })(held))
            .addObserver((exit) => resume(exit))
        })))`

/** A batch is answered when its plans have been written. */
const earlyBatch: ReadonlyArray<Place> = [[
  `${storage}/connections/BatchTransactions.ts`,
  `Effect.exit(
        within(lend({ lane: "requests", isPipelined: true, node })(attempt), deadline.millis)
      )`,
  earlyAnswers
], [
  `${storage}/connections/BatchTransactions.ts`,
  "yield* Pipeline.together([...statements, end(statements.length > 0)])",
  "yield* Pipeline.together(statements), Object.assign(done, { end: end(statements.length > 0) })"
]]

/** The sabotages by name. */
export const sabotages: Readonly<Record<string, Sabotage>> = {
  "acknowledge-before-commit": breaks("reads are current", {}, [
    `${storage}/stores/SqlMovementStore.ts`,
    "answers.alone({ turn: turnOfShipment(shipmentId), business: owner.business }, keep, work(owner))",
    earlyAnswer("work(owner)", "owner.business")
  ]),
  "acknowledge-a-batch-before-its-commit": breaks("registers are linearizable", {}, ...earlyBatch),
  "acknowledge-pallets-before-their-commit": breaks("acknowledged is durable", {}, ...earlyBatch),
  "record-beside-the-transaction": breaks("the record tells the truth", {}, [
    `${storage}/stores/IntakeBatch.ts`,
    "return write(business, beganAt, rows, entryRows(entries))",
    `unrecorded.push(write(business, "now", yield* Slices.run(planRows([])), entryRows(entries)))
      return write(business, beganAt, rows, entryRows([]))`
  ], [
    `${storage}/stores/IntakeBatch.ts`,
    "/** Makes the statement that writes plans and the record of documents. */",
    "const unrecorded: Array<Effect.Effect<unknown, unknown>> = []"
  ], [
    `${storage}/stores/IntakeBatch.ts`,
    `return batchWork({
    businessOf: ({ document }: DocumentJob) => document.business,
    load,
    decide: (part: Part, snapshot: LoadBody, outcomes: Array<Outcome>) =>
      Slices.inTurnsOf(businessKey(part.business), decide(part, snapshot, outcomes))
  })`,
    `const write = batchWork({ businessOf: ({ document }: DocumentJob) => document.business, load, decide })
  return (...batch: Parameters<typeof write>) =>
    Effect.tap(write(...batch), () =>
      Effect.delay(Effect.suspend(() => Effect.all(unrecorded.splice(0))), 50) as Effect.Effect<unknown>)`
  ]),
  "tell-no-arrival-by-a-pallet": breaks("steps are told once", {}, [
    `${storage}/stores/PalletBatch.ts`,
    "drafts.push(...messages.map(",
    "drafts.push(...messages.slice(-1).map("
  ]),
  "tell-a-report-twice": breaks("exceptions are told once", {}, [
    `${storage}/exceptions/ExceptionSql.ts`,
    "drafts([message], facilityId",
    "drafts([message, message], facilityId"
  ]),
  "show-another-verdict": breaks("verdicts stay", {}, [
    `${storage}/stores/PalletBatch.ts`,
    "const { dock, isExpected, messages: _, ...rest } = plan",
    `const { dock, isExpected, messages: _, ...decided } = plan
  const rest = { ...decided, verdict: { ...decided.verdict, kind: "UNEXPECTED" } }`
  ]),
  "acknowledge-exceptions-before-their-commit": breaks("exceptions are listed once", {}, [
    `${storage}/stores/ShipmentRows.ts`,
    "answers.alone({ turn: turnOfShipment(shipmentId), business }, keep, work(id))",
    earlyAnswer("work(id)", "business")
  ]),
  "cancel-what-has-arrived": breaks("cancelled is final", {}, [
    `${core}/movement/Steps.ts`,
    "if (status !== \"SCHEDULED\" || linkedShipmentIds.length > 0)",
    "if (linkedShipmentIds.length > 0)"
  ]),
  "commit-without-the-disk": breaks("acknowledged is durable", {}, [
    `${storage}/connections/Database.ts`,
    "default_transaction_isolation: \"read committed\",",
    "default_transaction_isolation: \"read committed\", synchronous_commit: \"off\","
  ]),
  "commit-without-the-standby": breaks("acknowledged is durable", { course: "failover" }, [
    `${storage}/connections/Database.ts`,
    "default_transaction_isolation: \"read committed\",",
    "default_transaction_isolation: \"read committed\", synchronous_commit: \"off\","
  ]),
  "wait-for-a-silent-primary": breaks("writing goes on", { course: "failover" }, [
    `${storage}/connections/Silence.ts`,
    "suspects.length === 0 ? Effect.void",
    "suspects.length >= 0 ? Effect.void"
  ]),
  "follow-without-waking": breaks("readers see the log", {}, [
    `${core}/messages/MessageFeed.ts`,
    "Effect.timeoutOption(wakeUp.await, settings.pollMillis)",
    "Effect.never"
  ]),
  "draw-ids-without-the-lock": breaks("readers see the log", {}, [
    `${sql}/messages.sql`,
    unlockedIds.from,
    unlockedIds.to
  ]),
  "take-no-lock-of-a-shipment": breaks("no lost update", {}, [
    `${sql}/intake.sql`,
    "when v_facilities[n.document] is null then true",
    "when true then true"
  ], [
    `${sql}/intake.sql`,
    "if cardinality(p_order_keys) > 32 then",
    "if true then null; elsif cardinality(p_order_keys) > 32 then"
  ], [
    `${sql}/intake.sql`,
    "where s.id is not null and v_free[s.document]",
    "where false"
  ]),
  "settle-before-the-answer": breaks("delivered or dead", {}, [
    "packages/webhook-adapter/src/dispatch/Retry.ts",
    "status !== null && status >= 200 && status < 300",
    "true"
  ]),
  "give-up-early": breaks("delivered or dead", {}, [
    "packages/webhook-adapter/src/dispatch/Retry.ts",
    "const delay = retryDelays[tries]",
    "const delay = retryDelays.slice(0, 5)[tries]"
  ]),
  "forget-what-waits": breaks("delivered or dead", {}, [
    `${sql}/deliveries.sql`,
    "where v_all or p.\"endpointId\" = any (v_held)",
    "where false"
  ]),
  "overtake-in-a-shipment": breaks("order of the shipment", {}, [
    `${sql}/deliveries.sql`,
    "limit 1) is not null as blocked",
    "limit 1) is null and false as blocked"
  ]),
  "forget-the-key": breaks("answers are right", {}, [
    `${storage}/stores/KeptAnswers.ts`,
    "? new KeptAnswer({ text: answer })",
    "? (answer === null ? new KeptAnswer({ text: answer }) : undefined)"
  ]),
  "give-control-numbers-without-the-lock": breaks("control numbers have no gap", {}, [
    "packages/edi/sql/files.sql",
    `perform dockline.edi_lock(p_business);
  return json_build_object(
    'now'`,
    `return json_build_object(
    'now'`
  ]),
  "tell-a-departure-from-each-instance": breaks("departures are told to partners", {}, [
    "packages/edi/src/exchange/AdviceWorker.ts",
    "isOpen: (partner) => partner.cursorId === cursorId,",
    "isOpen: () => cursorId >= 0,"
  ]),
  "tell-partners-of-orders-of-others": breaks("partners are apart", {}, [
    "packages/edi/src/exchange/AdviceWorker.ts",
    "tellsOf === \"ALL\" ? undefined : key",
    "tellsOf === \"ALL\" || key !== \"\" ? undefined : key"
  ]),
  "take-a-thousand-pallets-of-a-notice": breaks("notices are done", {}, [
    "packages/edi/src/sets/ShipNotice.ts",
    "for (const item of yield* itemsOf(level, marks, place, content)) draft.add(order, item)",
    `for (const item of yield* itemsOf(level, marks, place, content)) {
            if (draft.orders.flatMap(({ items }) => items).length < 1000) draft.add(order, item)
          }`
  ]),
  "tell-of-a-thousand-pallets": breaks("departures are told to partners", {}, [
    "packages/edi/src/sets/AdviceSets.ts",
    "...pallets.flatMap((pallet, index) => [\n      segment(\"LX\"",
    "...pallets.slice(0, 1000).flatMap((pallet, index) => [\n      segment(\"LX\""
  ]),
  "forget-the-answer-to-a-notice": breaks("notices are done", {}, [
    "packages/edi/src/exchange/EdiExchange.ts",
    "if (earlierFile !== null) return { file: earlierFile, isRepeated: true }",
    "if (earlierFile !== null) return { file: { ...earlierFile, answer: \"\" }, isRepeated: true }"
  ]),
  "move-on-before-alerts-are-noted": breaks("alerts are told", {}, [
    "packages/alerts/src/rules/Reader.ts",
    "yield* store.advance({ business, cursorId, toId: page.more ? last.id : page.lastId, notices })",
    `const toId = page.more ? last.id : page.lastId
    if (!(yield* store.advance({ business, cursorId, toId, notices: [] }))) return
    yield* Effect.sleep(1500)
    yield* store.advance({ business, cursorId: toId, toId, notices })`
  ]),
  "tell-alerts-of-each-instance": breaks("alerts are told once", {}, [
    "packages/alerts/sql/alerts.sql",
    "and r.next_at <= v_now and r.leased_until <= v_now\n      order by",
    "and r.next_at <= v_now\n      order by"
  ], [
    "packages/alerts/sql/alerts.sql",
    "and r.slug = p_rule and r.next_at <= v_now and r.leased_until <= v_now for no key update",
    "and r.slug = p_rule and r.next_at <= v_now for no key update"
  ]),
  "forget-what-was-told": breaks("alerts are told once", {}, [
    "packages/alerts/sql/alerts.sql",
    `update dockline.alert_notice set state = case when p_is_sent then 'SENT' else 'REFUSED' end, reason = p_failure,
      ended_at = v_now
    where business_id = p_business and rule = p_rule and state = 'WAITING' and message_id = p_message`,
    "delete from dockline.alert_notice where business_id = p_business and rule = p_rule and message_id = p_message"
  ]),
  "skip-an-event-between-pages": breaks("events are read once", {}, [
    "packages/epcis/src/query/EpcisEvents.ts",
    "return pageAt({ ...here, afterId: message.id - 1, number: index })",
    "return pageAt({ ...here, afterId: message.id, number: 0 })"
  ]),
  "move-on-before-events-are-published": breaks("events are published once", {}, [
    "packages/epcis/src/publish/Publisher.ts",
    "yield* store.publish({ business, cursorId, toId: last.id, entries })",
    `if (!(yield* store.publish({ business, cursorId, toId: last.id, entries: [] }))) return
    yield* Effect.sleep(1500)
    yield* store.publish({ business, cursorId: last.id, toId: last.id, entries })`
  ]),
  "publish-events-from-each-instance": breaks("events are published once", {}, [
    "packages/epcis/src/publish/Publisher.ts",
    "const all = yield* eventsOf(",
    "yield* Effect.sleep(1500)\n    const all = yield* eventsOf("
  ], [
    "packages/epcis/sql/epcis.sql",
    "where business_id = p_business and cursor_id = p_from and publishes",
    "where business_id = p_business and publishes"
  ]),
  "show-the-log-of-another": breaks("tenants are apart", {}, [
    `${sql}/messages.sql`,
    `      where m.business_id = p_business and m.id > p_after and m.id <= v_to and p_types @> array[m.type]`,
    `      where m.business_id = any (array(select id from dockline.business)) and m.id > p_after and m.id <= v_to
        and p_types @> array[m.type]`
  ]),
  "show-the-shipment-of-another": breaks("tenants are apart", {}, [
    `${core}/places/ListQuery.ts`,
    "if (match !== null && canRead(principal, match.location.business.slug, match.location.facility.slug))",
    "if (match !== null)"
  ]),
  "show-the-facilities-of-a-business": breaks("tenants are apart", {}, [
    `${core}/access/Access.ts`,
    "(scope.facilities === everything || scope.facilities.includes(facility))",
    "facility !== \"\""
  ]),
  "believe-every-clock": breaks("sentAt grows", {}, [
    `${sql}/messages.sql`,
    "draft->>1, (draft->>2)::bigint, v_sent_at,",
    "draft->>1, (draft->>2)::bigint, p_now,"
  ]),
  "complete-with-what-was-unloaded": breaks("completions tell the truth", {}, [
    `${core}/movement/Pallet.ts`,
    "remains({ first: first.direction, last: last.direction }) ? [last] : []",
    "remains({ first: first.direction, last: first.direction }) ? [last] : []"
  ]),
  "believe-every-time": breaks("times are bounded", {}, [
    `${core}/shipment/CheckIn.ts`,
    "ahead > clockToleranceSeconds * 1000",
    "ahead > clockToleranceSeconds * Infinity"
  ]),
  "mark-no-late-pallet": breaks("late pallets are marked", {}, [
    `${core}/movement/Movement.ts`,
    "late === undefined ? payload",
    "late !== null ? payload"
  ]),
  "take-no-late-pallet": breaks("answers are right", {}, [
    `${core}/movement/Movement.ts`,
    "if (takesLate(departure, snapshot.now, times)) return",
    "if (false) return"
  ]),
  "tell-late-pallets-without-what-they-change": breaks("steps are told once", {}, [
    `${core}/movement/Movement.ts`,
    "late?.discrepancies === undefined",
    "late === undefined || true"
  ]),
  "compare-plates-as-text": breaks("verdicts stay", {}, [
    `${core}/labels/Lpn.ts`,
    "ssccOf(lpn) ?? lpn",
    "lpn"
  ]),
  "count-a-pallet-twice": breaks("docks tell the truth", {}, [
    `${core}/shipment/Discrepancies.ts`,
    "passedPallets: passes.length,",
    "passedPallets: passes.length + passes.length,"
  ]),
  "forget-what-was-taken-off": breaks("docks tell the truth", {}, [
    `${core}/shipment/Shipment.ts`,
    "{ last: direction, lastSeenAt: occurredAt, dockId }",
    "{ last: before?.last ?? direction, lastSeenAt: occurredAt, dockId }"
  ]),
  "take-every-frame": breaks("probes are answered", { fault: "frames-flood" }, [
    `${socket}/Frames.ts`,
    "return framesLeft >= 0 && bytesLeft >= 0",
    "return true"
  ], [
    `${socket}/Frames.ts`,
    "return (handle) => {\n      waiting++",
    "return (handle) => {\n      return handle()"
  ], [
    `${socket}/Connection.ts`,
    "#regulate(): void {\n    if (this.isClosing) return",
    "#regulate(): void {\n    if (this.#waiting < Infinity) return"
  ], [`${socket}/SocketProtocol.ts`, "if (isOwn) connection.readInSlices(wait)", ""]),
  "end-with-a-full-log": breaks("probes are answered", { fault: "log-lost" }, [
    `${telemetry}/Logs.ts`,
    "isBroken ||= at > 0\n      return false",
    "process.exit(1)"
  ]),
  "end-without-a-reader-of-the-log": breaks("probes are answered", { fault: "log-lost" }, [
    `${telemetry}/Logs.ts`,
    "stream.on(\"error\", ignore)",
    "continue"
  ]),
  "lend-without-turns": breaks("others are served", { fault: "row-held" }, [
    `${storage}/connections/ConnectionPool.ts`,
    "(permits) => permits.takeScoped(1)",
    "() => Effect.void"
  ]),
  "leave-no-room-beside-one-answer": breaks(
    "others have their share",
    { fault: "large-reads" },
    [`${limits}/Budgets.ts`, "characters: 48 * 1024 * 1024,", "characters: 1024 * 1024,"],
    [`${limits}/Budgets.ts`, "const smallAnswers = 256 * 1024", "const smallAnswers = 0"],
    // A shorter wait, so that other clients see the refusals before they give up.
    [`${limits}/Budgets.ts`, "waitMillis: 5000", "waitMillis: 500"]
  ),
  "share-by-spelling": breaks("others have their share", { fault: "many-spellings" }, [
    `${limits}/Admission.ts`,
    "const share = shareOf(principal)\n          this.#remember(",
    "const share = shareOf({ clientId: authorization, grants: [] })\n          this.#remember("
  ], [
    `${limits}/Admission.ts`,
    "string => bearerToken(authorization) ?? ` ${authorization}`",
    "string => authorization"
  ]),
  "share-by-client": breaks("others have their share", { fault: "many-clients" }, [
    `${core}/access/RequestLimits.ts`,
    "return { client, business: businessesOf(grants) }",
    "return { client, business: client }"
  ]),
  "give-up-where-the-log-is-held": breaks("expired messages go", { course: "retention" }, [
    `${storage}/stores/Cleanup.ts`,
    "results.some(({ held }) => held)) return { count, isDone: false }",
    "results.some(({ held }) => held)) return { count, isDone: true }"
  ]),
  "follow-from-beyond-the-log": breaks("readers are told", { course: "promotion" }, [
    `${storage}/stores/SqlMessageLog.ts`,
    "if (position.afterId > newestId) return",
    "if (false) return"
  ]),
  "deliver-on-from-beyond-the-log": breaks("delivered or dead", { course: "promotion" }, [
    `${sql}/deliveries.sql`,
    "is distinct from r.epoch or v_endpoint.settlements < r.settlements or r.after > v_endpoint.last_id then",
    "is distinct from r.epoch then"
  ], [
    `${sql}/deliveries.sql`,
    "and e.settlements - s.settlements in (0, 1) and s.\"cursorId\" <= coalesce((",
    "and true or s.\"cursorId\" <= coalesce(("
  ]),
  "stay-where-a-business-was": breaks("answers are right", { course: "citus" }, [
    `${cluster}/ClusterDefinitions.ts`,
    `if not exists (select from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
    where p.shardid = v_shard)`,
    "if false"
  ]),
  "move-a-business-without-its-ids": breaks("no doubling", { course: "citus" }, [
    `${cluster}/Move.ts`,
    "yield* raise(target, shard, Record.map(before, (id) => id + BigInt(ahead * modulus)))",
    ""
  ], [`${cluster}/Move.ts`, "yield* raise(target, shard, yield* lastIds(source, shard))", ""])
}
