/* Inserting, updating and deleting,
   with all that SQLite lets one say about it. **/
create table t (key text primary key, value integer default 0, note text);
create temp table log as select * from t where 0;

insert into t values ('a', 1, null);
insert into t (key, value) values ('a', 2) on conflict do nothing;
insert into t (key, value) values ('a', 2), ('b', 3)
    on conflict (key) do update set value = excluded.value + t.value, note = 'seen'
    where excluded.value > 0;
insert into t (key) values ('c')
    on conflict (key) where value > 0 do nothing
    on conflict do update set (value, note) = (1, 'x')
    returning key, value;
insert into t select key || '2', value, note from t where true on conflict do nothing;
insert or ignore into t as target (key) select 'd' union select 'e' returning *;
insert or rollback into main.t (key) values ('f');
with source (key, value) as (values ('g', 7), ('h', 8))
insert into t (key, value) select key, value from source;
with more as (select 'i' as k) replace into t (key) select k from more;

update t set value = value + 1;
update or abort t as target set value = -value, note = case when value > 3 then 'big' else 'small' end
    where key between 'a' and 'c' returning *;
update t set (value, note) = (select 9, 'nine') where key = 'g';
update t set note = s.note from (select key, upper(note) as note from t) as s where s.key = t.key;
with chosen as materialized (select key from t limit 1)
update t set value = 0 from chosen where t.key = chosen.key;
update t not indexed set value = null where value isnull or value notnull;

delete from t where key in ('a', 'b') returning key;
delete from main.t as gone where gone.value is distinct from 8 and gone.note is not distinct from null;
with old as (select key from t) delete from t where key in old;
delete from log;
begin; end transaction; begin exclusive; rollback;
