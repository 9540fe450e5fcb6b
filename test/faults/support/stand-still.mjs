// Loaded into a worker by a scenario: at SIGUSR2 its one thread does nothing at all, as a hash that is computed on it
// would have it do.
process.on('SIGUSR2', () => {
  const still = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(still, 0, 0, Number(process.env.STAND_STILL_MS));
});
