/** Loaded into a server under test: SIGUSR2 collects garbage, so that memory is compared and not luck. */
process.on("SIGUSR2", () => {
  const collect = (globalThis as { gc?: () => void }).gc;
  for (let round = 0; round < 3; round += 1) collect?.();
});
