import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKOUTS, ROUNDS, SECONDS } from './knobs.mjs';

// The printed table: one line a figure and database size, beside its floor.

const WIDTHS = [33, 9, 10, 8, 8, 7, 32, 5, 6, 12];

/** All that was said, for `publish.mjs`. */
export const said = [];

export function say(text) {
  said.push(text);
  process.stdout.write(`${text}\n`);
}

export function median(values) {
  return percentile(values, 0.5);
}

export function percentile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
}

/** The middle and the 95th of a hundred of these milliseconds, in words. */
export function percentiles(times) {
  return `p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`;
}

/** Does the work and adds its milliseconds to `times`. */
export async function timed(times, work) {
  const since = performance.now();
  const result = await work();
  times.push(performance.now() - since);
  return result;
}

export function line(...cells) {
  say(`  ${cells.map((cell, index) => String(cell).padEnd(WIDTHS[index] ?? 0)).join(' ')}`.trimEnd());
}

export function heading() {
  line(
    '',
    'users',
    'per second',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'floor',
    'ratio',
    'of CPU',
    'aim',
    'p50 growth',
  );
}

export function count(value) {
  return Math.round(value).toLocaleString('en');
}

/** Beyond this a change costs more than it may, as the CPU of a request beside that of the checkout before. */
const MOST_DEARER = 1.03;
/** Beyond this the larger database costs more than architecture §8 allows. */
const MOST_GROWTH = 1.1;

/**
 * Measures a figure on every database and its floor in turn, several rounds, so that drift hits all of them alike. The
 * ratio of CPU time per request is what the ratio would be if nobody else were on the core.
 *
 * @param {object} figure
 * @param {string} figure.what
 * @param {{ name: string, take: (seconds: number) => Promise<{ perSecond: number, cpu: number }> }}
 *   [figure.floor]
 * @param {number} [figure.aim] the least ratio to the floor
 * @param {(answer: object) => void} figure.check throws unless an answer is what the line says
 * @param {boolean} [figure.grows] whether architecture §8 bounds the growth of its p50
 * @param {{ users: number, take: (seconds: number) => Promise<object> }[]} figure.on smallest database first; of each
 *   size, one for each checkout
 */
export async function measure({ what, floor, aim, check, grows = false, on }) {
  for (const { take } of on) await warmUp(take);
  await floor?.take(1);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const figures = Array.from({ length: on.length });
    // there and back: whoever goes second finds the machine as the one before has left it
    const order = [...on.keys()];
    for (const index of round % 2 === 0 ? order : order.toReversed()) {
      figures[index] = await on[index].take(SECONDS);
      check(figures[index].sample);
    }
    rounds.push({ figures, floor: await floor?.take(SECONDS) });
  }
  for (const [index, { users }] of on.entries()) {
    const figures = rounds.map((round) => round.figures[index]);
    const middle = figures.find((one) => one.perSecond === median(figures.map(({ perSecond }) => perSecond)));
    const failures = figures.reduce((sum, one) => sum + one.failures, 0);
    const perSecondOfFloor = median(rounds.map((round) => round.floor?.perSecond));
    const ratio = median(rounds.map((round) => round.figures[index].perSecond / round.floor?.perSecond));
    // whatever disturbs a measurement adds to it
    const cpu = Math.min(...figures.map((one) => one.cpu));
    const cpuRatio = Math.min(...rounds.map((round) => round.floor?.cpu)) / cpu;
    const checkout = index % CHECKOUTS.length;
    const growth = median(rounds.map(({ figures: of }) => of[index].p50 / of[checkout].p50));
    // of neighbouring measurements: what the machine does to one of them it mostly does to the other
    const dearer = median(rounds.map(({ figures: of }) => of[index].cpu / of[index - checkout + 1]?.cpu));
    line(
      index === 0 ? what : '',
      count(users),
      count(middle.perSecond),
      middle.p50.toFixed(2),
      middle.p99.toFixed(2),
      cpu.toFixed(0),
      floor ? `${floor.name} ${count(perSecondOfFloor)}/s` : '',
      floor ? ratio.toFixed(2) : '',
      floor ? cpuRatio.toFixed(2) : '',
      judged(aim === undefined ? undefined : `≥ ${aim}`, ratio >= aim),
      index === checkout
        ? ''
        : `${growth.toFixed(2)}${grows ? ` ${judged('≤ 1.1', growth <= MOST_GROWTH)}` : ''}`,
      failures === 0 ? '' : `${failures} FAILED`,
      CHECKOUTS.length === 1 || checkout !== 0
        ? ''
        : `CPU x ${dearer.toFixed(3)} ${judged(`≤ ${MOST_DEARER}`, dearer <= MOST_DEARER)}`,
    );
  }
}

/**
 * Measures a figure alone and beside somebody who does their worst, in turn. The ratio is that of the 95th of a hundred
 * times.
 *
 * @param {object} figure
 * @param {string} figure.what
 * @param {number} figure.users
 * @param {number} figure.most the highest ratio
 * @param {number} figure.seconds of a measurement
 * @param {(answer: object) => void} figure.check throws unless an answer is what the line says
 * @param {(seconds: number) => Promise<object>} figure.alone
 * @param {(seconds: number) => Promise<void>} figure.attack begins at once and ends after that time
 */
export async function measureBeside({ what, users, most, seconds, check, alone, attack }) {
  await alone(1);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const quiet = await alone(seconds);
    check(quiet.sample);
    const attacked = attack(seconds + 2);
    // when it has taken what it can get
    await sleep(2000);
    const beside = await alone(seconds);
    check(beside.sample);
    await attacked;
    rounds.push({ quiet, beside });
  }
  const middle = (of) => median(rounds.map(of));
  const ratio = middle(({ quiet, beside }) => beside.p95 / quiet.p95);
  const failures = rounds.reduce((sum, { quiet, beside }) => sum + quiet.failures + beside.failures, 0);
  line(
    what,
    count(users),
    count(middle(({ beside }) => beside.perSecond)),
    middle(({ beside }) => beside.p50).toFixed(2),
    middle(({ beside }) => beside.p99).toFixed(2),
    '',
    `p95 ${middle(({ quiet }) => quiet.p95).toFixed(1)} ms alone, ${middle(({ beside }) => beside.p95).toFixed(1)} ms`,
    ratio.toFixed(2),
    '',
    judged(`≤ ${most}`, ratio <= most),
    '',
    failures === 0 ? '' : `${failures} FAILED`,
  );
}

/** Long enough that the engine has compiled what it is going to compile. What is as slow as a hash does not need it. */
async function warmUp(take) {
  let requests = 0;
  for (let second = 1; second <= 5 && requests < 4000; second += 1) {
    requests += (await take(1)).count;
    if (requests < 150) return;
  }
}

function judged(aim, met) {
  if (aim === undefined) return 'printed';
  return met ? aim : `${aim} MISSED`;
}
