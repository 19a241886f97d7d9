import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { column, optional, since } from "./columns.ts";
import { addedColumns, columnsOf } from "./schema.ts";

interface Person {
  readonly id: string;
  readonly zone: string | undefined;
  readonly age: number | undefined;
}

const people = [
  column<Person>("id", "text", "id"),
  since(8, optional<Person>("time_zone", "text", "zone")),
  since(9, optional<Person>("age", "integer", "age")),
];

test("a column of a later step is added by that step, to a new database as to an old one", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(`create table people (${columnsOf(people, "sqlite", { id: "primary key" })})`);
  const names = () =>
    database
      .prepare("select name from pragma_table_info('people')")
      .all()
      .map((row) => row.name);
  expect(names()).toEqual(["id"]);
  for (const step of [8, 9]) database.exec(addedColumns(step, "sqlite", { people }));
  expect(names()).toEqual(["id", "time_zone", "age"]);
  database.close();
});

test("numbers are as wide on either engine", () => {
  expect(addedColumns(9, "postgres", { people })).toBe("alter table people add column age bigint;");
  expect(addedColumns(7, "postgres", { people })).toBe("");
});

test("a column that is added later must be optional: rows that are there have none", () => {
  expect(() => since(8, column<Person>("id", "text", "id"))).toThrow("must be optional");
});
