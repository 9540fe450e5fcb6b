// What `npm start` and `npm test` show: one line per finished step, and below it what is going on now.
// On a terminal that last line moves; in a log file a line appears only when a step ends or takes long.
import { stripVTControlCharacters } from 'node:util';

const tty = process.stdout.isTTY;
export const colours = process.env.FORCE_COLOR
  ? process.env.FORCE_COLOR !== '0'
  : tty && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
const unicode = !/^(C|POSIX)$/.test(process.env.LC_ALL ?? process.env.LC_CTYPE ?? process.env.LANG ?? '');
const moving = tty && process.env.TERM !== 'dumb' && !process.env.CI;

/** A reader that went away (a closed terminal, `| head`) must not keep the shutdown from running. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const paint = (open, close) => (text) => (colours ? `\u001b[${open}m${text}\u001b[${close}m` : String(text));
export const bold = paint(1, 22);
export const dim = paint(2, 22);
export const red = paint(31, 39);
export const green = paint(32, 39);
export const yellow = paint(33, 39);
export const cyan = paint(36, 39);

const marks = unicode
  ? { done: '✔', failed: '✖', skipped: '–', going: '…', frames: '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏' }
  : { done: '+', failed: 'x', skipped: '-', going: '.', frames: '|/-\\' };

const LABEL_WIDTH = 14;
const HEARTBEAT_MS = 10_000;
const active = new Set();
let ticker;
let frame = 0;
let barShown = false;

export function seconds(ms) {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Prints a line above the moving one. */
export function say(text = '') {
  hideBar();
  process.stdout.write(`${text}\n`);
  showBar();
}

/**
 * Begins a step. `note` tells what it is doing; `done`, `failed` and `skipped` end it with a few words.
 * Several steps may be open at once; `after` marks one that is only waiting for its turn to be shown.
 */
export function beginStep(label) {
  const step = { label, began: performance.now(), note: '', said: performance.now() };
  active.add(step);
  ticker ??= setInterval(tick, moving ? 100 : 1000).unref();
  showBar();

  const end = (mark, detail) => {
    if (!active.delete(step)) return;
    const took = performance.now() - step.began;
    const time = took >= 100 ? dim(`  ${seconds(took)}`) : '';
    say(`  ${mark} ${label.padEnd(LABEL_WIDTH)} ${detail}${time}`);
    if (active.size === 0) {
      clearInterval(ticker);
      ticker = undefined;
    }
  };
  return {
    note(text) {
      step.note = text;
    },
    done: (detail = '') => end(green(marks.done), detail),
    failed: (detail = '') => end(red(marks.failed), red(detail)),
    skipped: (detail = '') => end(yellow(marks.skipped), detail),
  };
}

/** Ends whatever step is still open, so that an error message stands on lines of its own. */
export function clearSteps() {
  hideBar();
  active.clear();
  clearInterval(ticker);
  ticker = undefined;
}

function tick() {
  frame += 1;
  if (moving) return showBar();
  const now = performance.now();
  for (const step of active) {
    if (now - step.said < HEARTBEAT_MS) continue;
    step.said = now;
    const note = step.note === '' ? 'still working' : step.note;
    process.stdout.write(
      `  ${marks.going} ${step.label.padEnd(LABEL_WIDTH)} ${note} (${seconds(now - step.began)})\n`,
    );
  }
}

function showBar() {
  if (!moving || active.size === 0) return;
  const now = performance.now();
  const parts = [...active].map((step) => {
    const note = step.note === '' ? '' : ` ${step.note}`;
    return `${step.label}${note} ${((now - step.began) / 1000).toFixed(0)} s`;
  });
  const room = (process.stdout.columns ?? 80) - 5;
  const text = stripVTControlCharacters(parts.join(' · ')).slice(0, room);
  process.stdout.write(`\r\u001b[K  ${cyan(marks.frames[frame % marks.frames.length])} ${dim(text)}`);
  barShown = true;
}

function hideBar() {
  if (!barShown) return;
  process.stdout.write('\r\u001b[K');
  barShown = false;
}
