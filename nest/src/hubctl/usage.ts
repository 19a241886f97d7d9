export const USAGE = `usage: nest hubctl <area> <command> [arguments] [flags]

Does from a terminal what admins do on the pages of a hub, over the same routes: <hub>/api/docs describes them.

queue: what is handed out next
  queue list                    what is on offer, in order; -reason operator_hold: what waits for that; -repo acme/api, -label bug,
                                -author LOGIN, -since 2026-11-01, -until 2026-11-30 (last change), -search TEXT
  queue show acme/api#12        one issue, and why it is or is not offered now
  queue hold acme/api#12 …      nobody is given it until it is lifted; -reason TEXT, -until 2h
  queue lift acme/api#12 …      ends what it waits for
  queue lift -reason failed     all that wait for that: says how many, and does it with -yes
  queue pin acme/api#12 …       pins these to the front: they are handed out first, in this order
  queue unpin acme/api#12 …     they wait for their turn again

relays, tasks: who is connected, who works on what
  relays list                   -search TEXT finds a contributor, session, backend or model
  tasks list                    the tasks under lease
  tasks find                    every task ever given: -outcome failed, -contributor LOGIN, -repo acme/api, -backend claude,
                                -tier trusted, -model NAME, -since, -until, -search acme/api#12
  tasks show task-1f-9a3c71     its lease, what happened to it, what its agent printed last
  tasks take-back task-1f-9a3c71   takes it from who has it; nothing is counted against them; -reason TEXT

pause: who is given no work for a while
  pause list                    who and what is paused, by whom, why and until when
  pause set LOGIN               or everything, or acme/api; -session NAME: one relay of theirs; -until 2h, -note TEXT
  pause end LOGIN               the same words again

settings: what is handed out at all, and to whom
  settings get [KEY]            as YAML, to edit and to apply
  settings set KEY VALUE        nest hubctl settings set contribute_deny_labels '[wontfix, "area/*"]'
  settings diff FILE            what a file (YAML or JSON) would change, and what that does to the queue
  settings apply FILE           does it; refused where somebody changed the settings meanwhile

audit: who changed what, newest first
  audit list                    -actor ada, -action "queue hold", -subject acme/api#12, -since 2026-11-01, -until 2026-11-30
                                (days in UTC), -search TEXT

flags:
  -json                         the result as JSON
  -limit N, -all                lists have 100 rows unless said otherwise

where and who:
  NEST_HUB_URL                  https://hub.example
  NEST_HUB_TOKEN                an API token: an admin makes one at <hub>/tokens, with the scope read, operate or configure
  Or both as KEY=VALUE lines in ~/.config/nest/hubctl.env, which nobody else may read (chmod 600). Never on the command line.

exit codes: 0 done; 1 refused or failed; 2 wrong usage or configuration;
            3 something would change, and nothing was changed (settings diff, queue lift -reason without -yes)
`;
