/**
 * Loaded into a server under test: SIGUSR2 collects garbage and gives free pages back, so that memory is compared and not luck.
 */
process.on("SIGUSR2", () => {
  const collect = (globalThis as { gc?: (how?: object) => void }).gc;
  for (let round = 0; round < 3; round += 1) collect?.({ type: "major", execution: "sync", flavor: "last-resort" });
});
