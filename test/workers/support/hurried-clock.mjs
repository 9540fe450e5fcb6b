// Loaded into a process: its monotonic clock, by which it measures how long something lasts, runs ten times as fast.
const now = performance.now.bind(performance);
const began = now();
performance.now = () => began + (now() - began) * 10;
