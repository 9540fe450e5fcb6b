// Loaded into a process: from one SIGUSR2 to the next its monotonic clock, by which it measures how long something lasts, runs
// ten times as fast. At its own speed while the process starts and recovers: then a busy machine makes it late, and a second
// of that must not count for ten.
const now = performance.now.bind(performance);
let rate = 1;
let since = now();
let shown = since;
performance.now = () => shown + (now() - since) * rate;
process.on('SIGUSR2', () => {
  shown = performance.now();
  since = now();
  rate = rate === 1 ? 10 : 1;
});
