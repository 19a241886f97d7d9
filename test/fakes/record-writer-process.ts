import { silentLog, systemClock } from "@nest/kit";
import { RecordStore } from "@nest/provisioner";

// A process that changes one record again and again: record-writer-process.ts FOLDER ID NAME TIMES [KILLED-IN]
// It prints each change once it is made. With KILLED-IN it is killed with the lock in its hands, within that change.

const [folder = "", id = "", name = "", times = "0", killedIn] = process.argv.slice(2);
const real = systemClock();
/** A hundred times as fast: a lock whose holder was killed is taken over after 0.1 s. */
const clock = {
  ...real,
  now: () => real.now() * 100,
  sleep: (delayMs: number, signal?: AbortSignal) => real.sleep(delayMs / 100, signal),
};
const records = new RecordStore({ dataFolder: folder, clock, log: silentLog() });
for (let nth = 0; nth < Number(times); nth += 1) {
  await records.change(id, (record) => {
    if (String(nth) === killedIn) process.kill(process.pid, "SIGKILL");
    return { ...record, repos: [...record.repos, `${name}/${nth}`] };
  });
  process.stdout.write(`${name}/${nth}\n`);
}
