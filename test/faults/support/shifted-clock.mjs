// Loaded into a worker by a scenario: its clock is wrong by CLOCK_WRONG_MS, and at SIGUSR2 it is set by CLOCK_STEP_MS
// once more, as a time server that has just found its peers would do it.
let wrong = Number(process.env.CLOCK_WRONG_MS ?? 0);
const { now } = Date;
const shifted = () => now() + wrong;
globalThis.Date = new Proxy(Date, {
  construct: (target, given) => Reflect.construct(target, given.length === 0 ? [shifted()] : given),
  get: (target, name) => (name === 'now' ? shifted : Reflect.get(target, name)),
});
process.on('SIGUSR2', () => {
  wrong += Number(process.env.CLOCK_STEP_MS ?? 0);
});
