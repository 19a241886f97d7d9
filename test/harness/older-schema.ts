/** Statements that take a hub's database, which no hub has open, back to before a step of its schema: the next boot takes the step. */
export function beforeStep(id: number): string[] {
  const back: readonly (readonly [step: number, statements: readonly string[]])[] = [
    [7, ["drop index contributors_account", "alter table contributors drop column account_id"]],
    [
      4,
      [
        "alter table tasks drop column previous_gen",
        "alter table contributors drop column last_gen",
        "create unique index tasks_grants on tasks (contributor_id, grant_number)",
      ],
    ],
  ];
  const undone = back.flatMap(([step, statements]) => (step >= id ? statements : []));
  return [...undone, `delete from migrations where id >= ${id}`];
}
