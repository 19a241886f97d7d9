/** Makes the function that writes one batch on PostgreSQL; a step of the schema, and as such never edited. */
export const WRITE_BATCH_WITH_ACCOUNTS = `
      -- Writes one batch. What most batches have comes as one array a column, <list>_<column>: taking rows of JSON apart cost a
      -- third of a batch. What few have comes as JSON. A release that knows no accounts goes on with the one without them.
      -- Endings first: an issue that ended and was handed out again in one batch must free its place in the index.
      create function nest_write(
        written_by text, batch_record json, last_generation bigint, rare jsonb,
        contributors_id text[], contributors_login text[], contributors_login_key text[], contributors_token_digest text[],
        contributors_tier text[], contributors_registered_at bigint[], contributors_last_active_at bigint[],
        contributors_grants bigint[], contributors_last_gen bigint[], contributors_completed bigint[],
        contributors_verified bigint[], contributors_failed bigint[], contributors_promotion_base bigint[],
        contributors_streak bigint[], contributors_paused_until bigint[], contributors_account_id bigint[],
        ended_gen bigint[], ended_accepted_at bigint[], ended_expires_at bigint[], ended_ended_at bigint[],
        ended_outcome text[], ended_reason text[], ended_verdict text[], ended_failure_kind text[], ended_permanent bigint[],
        ended_pr_url text[], ended_pr_state text[],
        renewed_gen bigint[], renewed_accepted_at bigint[], renewed_expires_at bigint[], renewed_connection text[],
        granted_gen bigint[], granted_id text[], granted_contributor_id text[], granted_grant_number bigint[],
        granted_previous_gen bigint[], granted_identity text[], granted_repo text[], granted_number bigint[],
        granted_item_key text[], granted_title text[], granted_url text[], granted_item_updated_at bigint[],
        granted_assigned_at bigint[], granted_accepted_at bigint[], granted_expires_at bigint[], granted_connection text[],
        items_key text[], items_hold_reason text[], items_hold_until bigint[], items_failures bigint[],
        items_last_failure_at bigint[], items_unverified_streak bigint[], items_last_unverified_at bigint[],
        items_held_as_of bigint[],
        activity_id bigint[], activity_at bigint[], activity_login text[], activity_action text[], activity_task_gen bigint[],
        activity_url text[], activity_detail text[]
      ) returns bigint language plpgsql as $write$
      declare batch_number bigint; judged tasks;
      begin
        -- A login may pass from one to another in one batch: it is free before anybody takes it.
        update contributors set login_key = '~' || changed.id from unnest(contributors_id, contributors_login_key) as changed (id, key)
        where contributors.id = changed.id and contributors.login_key <> changed.key;
        insert into contributors (id, login, login_key, token_digest, tier, registered_at, last_active_at, grants, last_gen,
          completed, verified, failed, promotion_base, streak, paused_until, account_id)
        select * from unnest(contributors_id, contributors_login, contributors_login_key, contributors_token_digest,
          contributors_tier, contributors_registered_at, contributors_last_active_at, contributors_grants,
          contributors_last_gen, contributors_completed, contributors_verified, contributors_failed,
          contributors_promotion_base, contributors_streak, contributors_paused_until, contributors_account_id)
        on conflict (id) do update set login = excluded.login, login_key = excluded.login_key,
          account_id = coalesce(excluded.account_id, contributors.account_id), token_digest = excluded.token_digest, tier = excluded.tier,
          last_active_at = excluded.last_active_at, grants = excluded.grants,
          last_gen = coalesce(excluded.last_gen, contributors.last_gen), completed = excluded.completed,
          verified = excluded.verified, failed = excluded.failed, promotion_base = excluded.promotion_base,
          streak = excluded.streak, paused_until = excluded.paused_until;

        -- Tasks that move are planned anew each time (hence execute): a plan that was kept from when there were few tasks would
        -- walk through all that came since. They are found by their key alone (hence coalesce): the index of live tasks would
        -- be gone through for each.
        if cardinality(ended_gen) > 0 then
          execute 'update tasks set accepted_at = moved.accepted_at, expires_at = moved.expires_at, ended_at = moved.ended_at,
              outcome = moved.outcome, reason = moved.reason, verdict = moved.verdict, failure_kind = moved.failure_kind,
              permanent = moved.permanent, pr_url = moved.pr_url, pr_state = moved.pr_state, connection = null
            from unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as moved (gen, accepted_at, expires_at, ended_at, outcome,
              reason, verdict, failure_kind, permanent, pr_url, pr_state)
            where tasks.gen = moved.gen and coalesce(tasks.ended_at, 0) = 0'
          using ended_gen, ended_accepted_at, ended_expires_at, ended_ended_at, ended_outcome, ended_reason, ended_verdict,
            ended_failure_kind, ended_permanent, ended_pr_url, ended_pr_state;
        end if;
        if cardinality(renewed_gen) > 0 then
          execute 'update tasks set accepted_at = moved.accepted_at, expires_at = moved.expires_at,
              connection = moved.connection
            from unnest($1, $2, $3, $4) as moved (gen, accepted_at, expires_at, connection)
            where tasks.gen = moved.gen and coalesce(tasks.ended_at, 0) = 0'
          using renewed_gen, renewed_accepted_at, renewed_expires_at, renewed_connection;
        end if;

        insert into tasks (gen, id, contributor_id, grant_number, previous_gen, identity, repo, number, item_key, title, url,
          item_updated_at, assigned_at, accepted_at, expires_at, connection)
        select * from unnest(granted_gen, granted_id, granted_contributor_id, granted_grant_number, granted_previous_gen,
          granted_identity, granted_repo, granted_number, granted_item_key, granted_title, granted_url,
          granted_item_updated_at, granted_assigned_at, granted_accepted_at, granted_expires_at, granted_connection);
        insert into items (key, hold_reason, hold_until, failures, last_failure_at, unverified_streak, last_unverified_at,
          held_as_of)
        select * from unnest(items_key, items_hold_reason, items_hold_until, items_failures, items_last_failure_at,
          items_unverified_streak, items_last_unverified_at, items_held_as_of)
        on conflict (key) do update set hold_reason = excluded.hold_reason, hold_until = excluded.hold_until,
          failures = excluded.failures, last_failure_at = excluded.last_failure_at,
          unverified_streak = excluded.unverified_streak, last_unverified_at = excluded.last_unverified_at,
          held_as_of = excluded.held_as_of;
        insert into activity (id, at, login, action, task_gen, url, detail)
        select * from unnest(activity_id, activity_at, activity_login, activity_action, activity_task_gen, activity_url,
          activity_detail);

        if rare is not null then
          insert into tasks select * from jsonb_populate_recordset(null::tasks, rare->'passing');
          for judged in select * from jsonb_populate_recordset(null::tasks, rare->'judged') loop
            update tasks set pr_state = judged.pr_state, reason = coalesce(reason, judged.reason) where gen = judged.gen;
          end loop;
          insert into counted_pull_requests
            select * from jsonb_populate_recordset(null::counted_pull_requests, rare->'counted');
          insert into audit (at, actor, action, subject, before, after)
            select at, actor, action, subject, before, after from jsonb_populate_recordset(null::audit, rare->'audit');
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
