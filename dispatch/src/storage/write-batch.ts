import { batchLists } from "./batch-columns.ts";
import { type Column, except, listed } from "./columns.ts";
import { contributorNames, contributorProgress, tables, taskEnding, taskKey, taskRenewal } from "./tables.ts";

/**
 * The PostgreSQL function that writes one batch. Lists that most batches contain are passed as one array per column,
 * `<list>_<column>`, because parsing rows of JSON took a third of the time of a batch. Rarer lists are passed as JSON.
 */
export function writeBatchFunction(): string {
  const parameters = Object.entries(batchLists).flatMap(([list, columns]) =>
    columns.map(({ name, type }) => `${list}_${name} ${type === "text" ? "text[]" : "bigint[]"}`),
  );
  const { items, audit } = tables;
  const keepsItsLast = (name: string) => `${name} = coalesce(excluded.${name}, contributors.${name})`;
  const replaced = (name: string) => `${name} = excluded.${name}`;
  const changing = [...contributorNames, ...contributorProgress];
  return `
    create or replace function nest_write(
      written_by text, batch_record json, last_generation bigint, rare jsonb, ${parameters.join(", ")}
    ) returns bigint language plpgsql as $write$
    declare batch_number bigint; judged tasks;
    begin
      -- A login may pass from one contributor to another in one batch: free it before the new owner takes it.
      update contributors set login_key = '~' || changed.id
      from unnest(contributors_id, contributors_login_key) as changed (id, key)
      where contributors.id = changed.id and contributors.login_key <> changed.key;
      ${insertList("contributors", "contributors")}
      on conflict (id) do update set
        ${changing.map(({ name }) => (name === "account_id" || name === "last_gen" ? keepsItsLast(name) : replaced(name))).join(", ")};

      -- Write endings before grants: if an issue ended and was assigned again in one batch, its entry in the unique index
      -- must be free.
      ${moveTasks("ended", taskEnding, ", connection = null")}
      ${moveTasks("renewed", taskRenewal, "")}
      ${insertList("tasks", "granted")};
      ${insertList("items", "items")}
      on conflict (key) do update set ${listed(except(items, "key"), replaced)};
      ${insertList("activity", "activity")};

      if rare is not null then
        insert into tasks select * from jsonb_populate_recordset(null::tasks, rare->'passing');
        for judged in select * from jsonb_populate_recordset(null::tasks, rare->'judged') loop
          update tasks set pr_state = judged.pr_state, reason = coalesce(reason, judged.reason) where gen = judged.gen;
        end loop;
        insert into counted_pull_requests
          select * from jsonb_populate_recordset(null::counted_pull_requests, rare->'counted');
        insert into audit (${listed(audit)})
          select ${listed(audit)} from jsonb_populate_recordset(null::audit, rare->'audit');
        delete from settings using jsonb_populate_recordset(null::settings, rare->'settings') as changed
          where settings.name = changed.name and changed.value is null;
        insert into settings select * from jsonb_populate_recordset(null::settings, rare->'settings') as changed
          where changed.value is not null on conflict (name) do update set value = excluded.value;
      end if;

      if last_generation is not null then
        update counters set value = last_generation where name = 'gen';
      end if;
      update counters set value = value + 1 where name = 'batch' returning value into batch_number;
      if batch_record is not null then
        insert into replica_batches (number, replica, record) values (batch_number, written_by, batch_record);
        perform pg_notify('nest', current_schema() || ' batch ' || written_by);
      end if;
      return batch_number;
    end $write$;
  `;

  function insertList(table: string, list: keyof typeof batchLists): string {
    const columns: readonly Column<never>[] = batchLists[list];
    return `insert into ${table} (${listed(columns)})
      select * from unnest(${listed(columns, (name) => `${list}_${name}`)})`;
  }
}

/**
 * Updates tasks with a plan that is made anew each time (hence `execute`): a plan cached while the table was small would scan
 * all tasks added since. The condition on `ended_at` uses `coalesce`, so that the planner finds each task by its key instead
 * of scanning the index of live tasks.
 */
function moveTasks(list: "ended" | "renewed", changed: readonly Column<never>[], further: string): string {
  const columns = [...taskKey, ...changed];
  return `
      if cardinality(${list}_gen) > 0 then
        execute 'update tasks set ${listed(changed, (name) => `${name} = moved.${name}`)}${further}
          from unnest(${columns.map((_, at) => `$${at + 1}`).join(", ")}) as moved (${listed(columns)})
          where tasks.gen = moved.gen and coalesce(tasks.ended_at, 0) = 0'
        using ${listed(columns, (name) => `${list}_${name}`)};
      end if;`;
}
