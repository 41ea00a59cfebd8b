-- Migration 1 of alerts: rules, how far the log was read for them, and the notices that wait (D26).

create sequence dockline.alert_notice_id;

-- Businesses with rules: how far their logs were read, and when they were looked at. Who changes their rules or moves these locks the row.
create table dockline.alert_reader (
  business_id bigint primary key references dockline.business,
  cursor_id bigint not null,
  looked_at timestamptz not null default '0001-01-01T00:00:00Z'
) with (fillfactor = 50);

-- Rules, and the message of each that is being told: its id, how often it was tried, and until when somebody has it.
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

-- A notice waits for a message, and then for its end: it was sent, refused for good, or dropped with its rule disabled; the reason says more. The key keeps others of the same thing away.
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
