-- Migration 1 of EPCIS: the settings of businesses, each with the id of the last message whose events were published (D24.5).

create table dockline.epcis_setting (
  business_id bigint primary key references dockline.business,
  company_prefixes text[] not null default '{}',
  publishes boolean not null default false,
  cursor_id bigint not null default 0
) with (fillfactor = 50);
