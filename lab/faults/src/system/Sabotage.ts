/**
 * The service broken by hand, in one place each: a run on it must be found out. A check that nothing can fail would say
 * nothing.
 */
import type { Replacement } from "../../../../programs/Bundle.mjs"
import type { InvariantName } from "../checker/Checker.ts"
import type { FaultKind } from "../faults/Schedule.ts"
import type { Course } from "../run/RunOptions.ts"

/** A text of the service's sources that is replaced by another one, and what notices. */
export interface Sabotage extends Replacement {
  /** Others that are replaced with it, where one guard stands behind another. */
  readonly also?: ReadonlyArray<Replacement>
  readonly expects: InvariantName
  /** The runs that show it; the ordinary ones where nothing is said. */
  readonly course?: Course
  /** The fault that shows it: runs begin with a seed that has it. */
  readonly fault?: FaultKind
}

const functions = "packages/sql-storage/src/schema/functions"

const drawing = (lock: string, drawn: string): string =>
  `where business_id = p_business${lock};
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select greatest(last_sent_at, p_now) into v_sent_at from dockline.message_log
    where business_id = p_business${lock};
  end if;
  with appended as (
    insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload,
      trace)
    select p_business, ${drawn}, (draft->>0)::bigint,`

const nextId = "nextval('dockline.message_id')"

/** The ids of messages, drawn without the lock of the log; and a moment later written, as it is where much is written. */
const unlockedIds = {
  from: drawing(" for no key update", nextId),
  to: drawing("", `${nextId} + case when pg_sleep(random() * 0.03) is null then 1 else 0 end`)
}

/** The answer is given when everything has been written, and the commit comes after it. */
const earlyAnswer = `Effect.flatMap(Effect.context(), (context) =>
        Effect.callback((resume) => {
          const written = Effect.tap(work, (done) => {
            resume(Effect.succeed(done))
            return Effect.sleep(50)
          })
          const held = loan({ lane: "requests", turn, holder })(transaction(sql)(written))
          Effect.runForkWith(context)(held).addObserver((exit) => resume(exit))
        })
      ).pipe(
        repeatConflicts,`

/** The answers of a batch are given when the plans have been written, and the commit comes after them. */
const earlyAnswers = `Effect.exit(Effect.flatMap(Effect.context(), (context) =>
        Effect.callback((resume) => {
          const held = Effect.tap(attempt, (decided) => {
            resume(Effect.succeed(decided))
            return Effect.delay(decided.end ?? Effect.void, 50)
          })
          Effect.runForkWith(context)(lend({ lane: "requests", pipelined: true, node })(held))
            .addObserver((exit) => resume(exit))
        })))`

/** The sabotages by name. */
export const sabotages: Readonly<Record<string, Sabotage>> = {
  "acknowledge-before-commit": {
    file: "packages/sql-storage/src/stores/SqlMovementStore.ts",
    from: `transaction(sql)(work).pipe(
        repeatConflicts,
        loan({ lane: "requests", turn, holder, business }),`,
    to: earlyAnswer,
    expects: "reads are current"
  },
  "acknowledge-a-batch-before-its-commit": {
    file: "packages/sql-storage/src/connections/BatchTransactions.ts",
    from: `Effect.exit(
          within(lend({ lane: "requests", pipelined: true, node })(attempt), deadline.millis)
        )`,
    to: earlyAnswers,
    also: [{
      file: "packages/sql-storage/src/stores/IntakeBatch.ts",
      from: "yield* together([...statements, end(statements.length > 0)])",
      to: "yield* together(statements), Object.assign(decided, { end: end(statements.length > 0) })"
    }],
    expects: "registers are linearizable"
  },
  "acknowledge-pallets-before-their-commit": {
    file: "packages/sql-storage/src/connections/BatchTransactions.ts",
    from: `Effect.exit(
          within(lend({ lane: "requests", pipelined: true, node })(attempt), deadline.millis)
        )`,
    to: earlyAnswers,
    also: [{
      file: "packages/sql-storage/src/stores/PalletBatch.ts",
      from: "yield* together([...statements, end(statements.length > 0)])",
      to: "yield* together(statements), Object.assign(recorded, { end: end(statements.length > 0) })"
    }],
    expects: "acknowledged is durable"
  },
  "record-beside-the-transaction": {
    file: "packages/sql-storage/src/stores/IntakeBatch.ts",
    from: "const { contents, orders, records, removals } = entryRows(entries)",
    to: `const { contents, orders, records, removals } = entryRows([])
      const late = entryRows(entries.map((each) => ({ ...each, plan: undefined })))
      unrecorded.push(Effect.asVoid(sql\`select dockline.intake_apply(\${businessId(business)}::bigint,
        now(), '{}'::jsonb, '{}'::text[], '{}', \${late.records}, \${late.contents}, \${late.orders}, \${late.removals})\`))`,
    also: [{
      file: "packages/sql-storage/src/stores/IntakeBatch.ts",
      from: "/** Makes the statement that writes plans and the record of documents. */",
      to: "const unrecorded: Array<Effect.Effect<void, SqlError.SqlError>> = []"
    }, {
      file: "packages/sql-storage/src/stores/IntakeBatch.ts",
      from: "yield* together([...statements, end(statements.length > 0)])",
      to: `yield* together([...statements, end(statements.length > 0)])
      yield* Effect.sleep(50)
      for (const each of unrecorded.splice(0)) yield* each`
    }],
    expects: "the record tells the truth"
  },
  "tell-no-arrival-by-a-pallet": {
    file: "packages/sql-storage/src/stores/PalletBatch.ts",
    from: "drafts.push(...messages.map(",
    to: "drafts.push(...messages.slice(-1).map(",
    expects: "steps are told once"
  },
  "tell-a-report-twice": {
    file: "packages/sql-storage/src/stores/SqlExceptionStore.ts",
    from: "draftRows([message], facilityId",
    to: "draftRows([message, message], facilityId",
    expects: "exceptions are told once"
  },
  "show-another-verdict": {
    file: "packages/sql-storage/src/stores/PalletBatch.ts",
    from: "const { dock, isExpected, messages: _, ...rest } = plan",
    to: `const { dock, isExpected, messages: _, ...decided } = plan
  const rest = { ...decided, verdict: { ...decided.verdict, kind: "UNEXPECTED" } }`,
    expects: "verdicts stay"
  },
  "acknowledge-exceptions-before-their-commit": {
    file: "packages/sql-storage/src/stores/SqlExceptionStore.ts",
    from: `transaction(sql)(keeping(KeptAnswers.single(work(owner)))([{ keep }], true, noEnds)).pipe(
              repeatConflicts,
              loan({
                lane: "requests",
                turn: JSON.stringify(["shipment", shipmentId]),
                business: owner.business
              })
            )`,
    to: `Effect.flatMap(Effect.context(), (context) =>
        Effect.callback((resume) => {
          const kept = keeping(KeptAnswers.single(work(owner)))([{ keep }], true, noEnds)
          const written = Effect.tap(kept, (done) => {
            resume(Effect.succeed(done))
            return Effect.sleep(50)
          })
          const held = loan({ lane: "requests" })(transaction(sql)(written))
          Effect.runForkWith(context)(held).addObserver((exit) => resume(exit as never))
        })
      ).pipe(repeatConflicts)`,
    expects: "exceptions are listed once"
  },
  "cancel-what-has-arrived": {
    file: "packages/core/src/movement/Steps.ts",
    from: "if (status !== \"SCHEDULED\" || linkedShipmentIds.length > 0)",
    to: "if (linkedShipmentIds.length > 0)",
    expects: "cancelled is final"
  },
  "commit-without-the-disk": {
    file: "packages/sql-storage/src/connections/Database.ts",
    from: "default_transaction_isolation: \"read committed\",",
    to: "default_transaction_isolation: \"read committed\", synchronous_commit: \"off\",",
    expects: "acknowledged is durable"
  },
  "commit-without-the-standby": {
    file: "packages/sql-storage/src/connections/Database.ts",
    from: "default_transaction_isolation: \"read committed\",",
    to: "default_transaction_isolation: \"read committed\", synchronous_commit: \"off\",",
    expects: "acknowledged is durable",
    course: "failover"
  },
  "wait-for-a-silent-primary": {
    file: "packages/sql-storage/src/connections/Silence.ts",
    from: "suspects.length === 0 ? Effect.void",
    to: "suspects.length >= 0 ? Effect.void",
    expects: "writing goes on",
    course: "failover"
  },
  "follow-without-waking": {
    file: "packages/core/src/messages/MessageFeed.ts",
    from: "Effect.timeoutOption(woken.await, settings.pollMillis)",
    to: "Effect.never",
    expects: "readers see the log"
  },
  "draw-ids-without-the-lock": {
    file: `${functions}/MessageFunctions.ts`,
    ...unlockedIds,
    expects: "readers see the log"
  },
  "take-no-lock-of-a-shipment": {
    file: `${functions}/LoadFunctions.ts`,
    from: `dockline.intake_lock(
    p_business, v_facilities, p_directions, p_shipment_keys, p_documents, p_order_keys, p_wait)`,
    to: "array_fill(true, array[cardinality(p_facilities)])",
    expects: "no lost update"
  },
  "settle-before-the-answer": {
    file: "packages/webhook-adapter/src/dispatch/Retry.ts",
    from: "status !== null && status >= 200 && status < 300",
    to: "true",
    expects: "delivered or dead"
  },
  "give-up-early": {
    file: "packages/webhook-adapter/src/dispatch/Retry.ts",
    from: "const scheduled = retryDelays[tries]",
    to: "const scheduled = retryDelays.slice(0, 5)[tries]",
    expects: "delivered or dead"
  },
  "forget-what-waits": {
    file: `${functions}/DeliveryFunctions.ts`,
    from: "where v_all or p.\"endpointId\" = any (v_held)",
    to: "where false",
    expects: "delivered or dead"
  },
  "overtake-in-a-shipment": {
    file: `${functions}/DeliveryFunctions.ts`,
    from: "limit 1) is not null as blocked",
    to: "limit 1) is null and false as blocked",
    expects: "order of the shipment"
  },
  "forget-the-key": {
    file: "packages/sql-storage/src/stores/KeptAnswers.ts",
    from: "? new KeptAnswer({ text: answer })",
    to: "? (answer === null ? new KeptAnswer({ text: answer }) : undefined)",
    expects: "answers are right"
  },
  "give-control-numbers-without-the-lock": {
    file: `${functions}/edi/EdiFileFunctions.ts`,
    from: `perform dockline.edi_lock(p_business);
  select p.epoch`,
    to: "select p.epoch",
    expects: "control numbers have no gap"
  },
  "tell-a-departure-from-each-instance": {
    file: "packages/edi-adapter/src/exchange/Teller.ts",
    from: `if (partner.cursorId !== cursorId) return nothing("lost")
    if (isTold(state)) return nothing({ partner })`,
    to: "if (isTold(state)) return nothing({ partner })",
    expects: "departures are told to partners"
  },
  "forget-the-answer-to-a-notice": {
    file: "packages/edi-adapter/src/exchange/EdiExchange.ts",
    from: "if (known !== null) return { file: known, isRepeated: true }",
    to: "if (known !== null) return { file: { ...known, answer: \"\" }, isRepeated: true }",
    expects: "notices are done"
  },
  "show-the-log-of-another": {
    file: `${functions}/MessageFunctions.ts`,
    from: "{ business: \"p_business\"",
    to: "{ business: \"any (array(select id from dockline.business))\"",
    expects: "tenants are apart"
  },
  "show-the-shipment-of-another": {
    file: "packages/core/src/places/ListQuery.ts",
    from:
      "if (found !== null && canRead(principal, found.location.business.slug, found.location.facility.slug))",
    to: "if (found !== null)",
    expects: "tenants are apart"
  },
  "show-the-facilities-of-a-business": {
    file: "packages/core/src/access/Access.ts",
    from: "(scope.facilities === everything || scope.facilities.includes(facility))",
    to: "facility !== \"\"",
    expects: "tenants are apart"
  },
  "believe-every-clock": {
    file: `${functions}/MessageFunctions.ts`,
    from: "draft->>1, (draft->>2)::bigint, v_sent_at,",
    to: "draft->>1, (draft->>2)::bigint, p_now,",
    expects: "sentAt grows"
  },
  "complete-with-what-was-unloaded": {
    file: "packages/core/src/movement/Remaining.ts",
    from: "remains({ first: first.direction, last: last.direction }) ? [last] : []",
    to: "remains({ first: first.direction, last: first.direction }) ? [last] : []",
    expects: "completions tell the truth"
  },
  "count-a-pallet-twice": {
    file: "packages/core/src/shipment/Progress.ts",
    from: "passedPallets: passed.length,",
    to: "passedPallets: passed.length + passed.length,",
    expects: "docks tell the truth"
  },
  "forget-what-was-taken-off": {
    file: "packages/core/src/shipment/SeenPallet.ts",
    from: "{ last: direction, lastSeenAt: occurredAt, dockId }",
    to: "{ last: before?.last ?? direction, lastSeenAt: occurredAt, dockId }",
    expects: "docks tell the truth"
  },
  "take-every-frame": {
    file: "packages/graphql-adapter/src/socket/FrameBudget.ts",
    from: "return framesLeft >= 0 && bytesLeft >= 0",
    to: "return true",
    also: [{
      file: "packages/graphql-adapter/src/socket/FrameTurns.ts",
      from: "return (handle) => {\n      waiting++",
      to: "return (handle) => {\n      return handle()"
    }, {
      file: "packages/graphql-adapter/src/socket/Connection.ts",
      from: "#regulate(): void {\n    if (this.isClosing) return",
      to: "#regulate(): void {\n    if (this.#waiting < Infinity) return"
    }, {
      file: "packages/graphql-adapter/src/socket/SocketProtocol.ts",
      from: "if (isOwn) connection.readInSlices(wait)",
      to: ""
    }],
    expects: "probes are answered",
    fault: "frames-flood"
  },
  "lend-without-turns": {
    file: "packages/sql-storage/src/connections/ConnectionPool.ts",
    from: "(permits) => permits.takeScoped(1)",
    to: "() => Effect.void",
    expects: "others are served",
    fault: "row-held"
  },
  "leave-no-room-beside-one-answer": {
    file: "packages/server/src/limits/AnswerBudget.ts",
    from: "characters: 48 * 1024 * 1024,",
    to: "characters: 1024 * 1024,",
    also: [{
      file: "packages/server/src/limits/AnswerBudget.ts",
      from: "const small = 256 * 1024",
      to: "const small = 0"
    }, {
      // So that others learn of it before they lose patience.
      file: "packages/server/src/limits/AnswerBudget.ts",
      from: "waitMillis: 5000",
      to: "waitMillis: 500"
    }],
    expects: "others have their share",
    fault: "large-reads"
  },
  "share-by-spelling": {
    file: "packages/server/src/limits/Identities.ts",
    from: "const share = Share.ofPrincipal(principal.clientId)",
    to: "const share = Share.ofPrincipal(authorization)",
    also: [{
      file: "packages/server/src/limits/Identities.ts",
      from: "string => bearerToken(authorization) ?? ` ${authorization}`",
      to: "string => authorization"
    }],
    expects: "others have their share",
    fault: "many-spellings"
  },
  "give-up-where-the-log-is-held": {
    file: "packages/sql-storage/src/stores/Cleanup.ts",
    from: "results.some(({ held }) => held)) return { dropped, isDone: false }",
    to: "results.some(({ held }) => held)) return { dropped, isDone: true }",
    expects: "expired messages go",
    course: "retention"
  },
  "follow-from-beyond-the-log": {
    file: "packages/sql-storage/src/stores/SqlMessageLog.ts",
    from: "if (position.afterId > page.lastId) return",
    to: "if (false) return",
    expects: "readers are told",
    course: "promotion"
  },
  "deliver-on-from-beyond-the-log": {
    file: `${functions}/DeliveryFunctions.ts`,
    from: "is distinct from r.epoch or r.after > v_endpoint.last_id then",
    to: "is distinct from r.epoch then",
    also: [{
      file: `${functions}/DeliveryFunctions.ts`,
      from: "and s.\"cursorId\" <= coalesce((select l.last_id",
      to: "and true or s.\"cursorId\" <= coalesce((select l.last_id"
    }],
    expects: "delivered or dead",
    course: "promotion"
  },
  "stay-where-a-business-was": {
    file: "packages/sql-storage/src/schema/cluster/ClusterDefinitions.ts",
    from: `if not exists (select from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
    where p.shardid = v_shard)`,
    to: "if false",
    expects: "answers are right",
    course: "citus"
  },
  "move-a-business-without-its-ids": {
    file: "packages/sql-storage/src/schema/cluster/Move.ts",
    from: "yield* raise(target, shard, before.map((id) => id + BigInt(ahead * modulus)))",
    to: "",
    also: [{
      file: "packages/sql-storage/src/schema/cluster/Move.ts",
      from: "yield* raise(target, shard, yield* lastIds(source, shard))",
      to: ""
    }],
    expects: "no doubling",
    course: "citus"
  }
}
