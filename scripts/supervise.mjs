// One process of the service while `npm start` runs it: started, waited for, started again when it dies.
import { setTimeout as sleep } from 'node:timers/promises';
import { describeEnd, launch, STOP_PLAN } from './processes.mjs';

/** As in package.json and the Dockerfile: garbage is collected instead of kept (docs/scaling.md). */
const NODE_FLAGS = ['--max-old-space-size=1536'];
const READY_WITHIN_MS = 120_000;
/** More deaths than this within a minute are no accident. */
const MOST_DEATHS = 5;

/** A Node process and the address that answers 200 once it is ready. Same shape as the services' handles. */
export class NodeProcess {
  #process;

  /** @param settings name, script, cwd, env, logFile, recordFile, readyUrl, signal (aborts waiting) */
  constructor(settings) {
    this.settings = settings;
  }

  get exited() {
    return this.#process.exited;
  }

  async start() {
    const { script, cwd, env, logFile, recordFile } = this.settings;
    this.#process = launch(process.execPath, [...NODE_FLAGS, script], { cwd, env, logFile, recordFile });
    await this.#untilReady();
  }

  async restart() {
    await this.start();
  }

  async stop() {
    await this.#process?.stop(STOP_PLAN);
  }

  /** The person has no patience left. */
  hurry() {
    this.#process?.signal('SIGKILL');
  }

  async #untilReady() {
    const { name, readyUrl, signal, logFile } = this.settings;
    const deadline = Date.now() + READY_WITHIN_MS;
    let answer = 'no answer';
    while (!signal.aborted) {
      const { ended } = this.#process;
      if (ended !== undefined) throw new Error(`The ${name} ${describeEnd(ended)}.\n${this.#process.tail()}`);
      answer = await statusOf(readyUrl);
      if (answer === 200) return;
      if (Date.now() > deadline) {
        throw new Error(
          `The ${name} is not ready (${readyUrl}: ${answer}); see ${logFile}.\n${this.#process.tail()}`,
        );
      }
      await Promise.race([sleep(50), this.#process.exited]);
    }
    signal.throwIfAborted();
  }
}

async function statusOf(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000), redirect: 'manual' });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return error.cause?.code ?? error.name;
  }
}

/**
 * Starts `service` again whenever it ends by itself, until `signal` aborts; resolves then, with nothing half
 * started. Rejects when it keeps dying.
 */
export async function keepRunning(service, { name, signal, say }) {
  const aborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  let deaths = [];
  let failure;
  while (!signal.aborted) {
    const end = failure === undefined ? await Promise.race([service.exited, aborted]) : failure;
    if (signal.aborted) return;
    deaths = [...deaths.filter((at) => Date.now() - at < 60_000), Date.now()];
    const what = failure === undefined ? `${name} ${describeEnd(end)}` : failure.message;
    if (deaths.length > MOST_DEATHS)
      throw new Error(`${what}\nIt has ended ${deaths.length} times within a minute.`);
    say(`${what.split('\n')[0]}; starting it again`);
    await sleep(200 * 2 ** deaths.length, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    failure = await service.restart().then(
      () => undefined,
      (error) => error,
    );
    if (failure === undefined && !signal.aborted) say(`${name} is running again`);
  }
}
