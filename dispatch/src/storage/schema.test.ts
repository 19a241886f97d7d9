import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { column, optional, since } from "./columns.ts";
import { addedColumns, columnsOf } from "./schema.ts";

interface Person {
  readonly id: string;
  readonly zone: string | undefined;
  readonly age: number | undefined;
}

const id = column<Person>("id", "text", "id", (one) => one.id);
const zone = optional<Person>("time_zone", "text", "zone", (one) => one.zone);
const age = optional<Person>("age", "integer", "age", (one) => one.age);
const people = [id, since(8, zone), since(9, age)];

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
  expect(() => since(8, id)).toThrow("must be optional");
});
