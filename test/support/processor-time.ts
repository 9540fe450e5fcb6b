/** Fewest of so many rounds: what else the machine does only ever adds. */
const ROUNDS = 5;
/** Less than this says more of the meter than of the work. */
const MEASURABLE_MICROS = 5_000;

/**
 * The processor time of this process, in microseconds, that some work takes. Unlike time on the clock it does not grow while
 * others have the cores, so two of them can be compared on a busy machine.
 */
export async function processorTime(work: () => unknown, times = 1): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time += 1) await work();
    // both: only their sum is exact, the kernel shares it out between the two by estimate
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/**
 * How many times more a work takes of processor time when it has eight times as much to do: about 8 where it is linear, 64 where
 * it is quadratic.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  const [small, large] = [() => work(size), () => work(8 * size)];
  // compiled before it is measured
  await processorTime(large);
  let times = 1;
  while ((await processorTime(small, times)) < MEASURABLE_MICROS) times *= 2;
  return (await processorTime(large, times)) / (await processorTime(small, times));
}

/** Between the two. */
export const LINEAR = 24;
