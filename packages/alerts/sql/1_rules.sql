-- Migration 1 of alerts: rules, the cursors over logs, and notices (D26).

create sequence dockline.alert_notice_id;

-- Businesses with rules. cursor_id: the last message of the log that was read; looked_at: the time of the last check for incidents outside
-- the log. A transaction that creates, changes or removes rules, or moves these values, locks the row.
create table dockline.alert_reader (
  business_id bigint primary key references dockline.business,
  cursor_id bigint not null,
  looked_at timestamptz not null default '0001-01-01T00:00:00Z'
) with (fillfactor = 50);

-- Rules, each with its next message: message_id once a sender has claimed it, the number of failed attempts, and the end of the claim
-- (leased_until). from_id and since: see `AlertRule`. surplus: the number of incidents without a notice, because
-- too many notices waited.
create table dockline.alert_rule (
  business_id bigint not null references dockline.business,
  slug text not null,
  facility_id bigint not null references dockline.facility,
  settings json not null,
  from_id bigint not null,
  since timestamptz not null,
  created_at timestamptz not null,
  next_at timestamptz,
  leased_until timestamptz not null default '-infinity',
  epoch bigint not null default 0,
  message_id text,
  attempts int not null default 0,
  surplus int not null default 0,
  last_sent_at timestamptz,
  last_failed_at timestamptz,
  last_failure text not null default '',
  primary key (business_id, slug)
) with (fillfactor = 50);
create index alert_rule_due on dockline.alert_rule (business_id, slug collate "C") where next_at is not null;

-- message_id: the message that contains the notice, if one does. reason: why the notice was refused, or which recipients were. key: the key
-- of the incident, of which a rule keeps one notice.
create table dockline.alert_notice (
  business_id bigint not null,
  rule text not null,
  key text not null,
  id bigint not null,
  notice json not null,
  due_at timestamptz not null,
  added_at timestamptz not null,
  message_id text,
  state text not null default 'WAITING' check (state in ('WAITING', 'SENT', 'REFUSED', 'DROPPED')),
  reason text not null default '',
  ended_at timestamptz,
  primary key (business_id, rule, key)
);
create index alert_notice_waiting on dockline.alert_notice (business_id, rule, id) where state = 'WAITING';
create index alert_notice_old on dockline.alert_notice (business_id, added_at) where state <> 'WAITING';
create index alert_notice_list on dockline.alert_notice (business_id, rule, id);
