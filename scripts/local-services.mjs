// The parts that `npm start` brings up, each as one step of the display, and the order in which they end.
import path from 'node:path';
import { reachable } from './local-settings.mjs';
import { mailServerFault } from './mail-server.mjs';
import { isPortFree } from './ports.mjs';
import { endLeftover, STOP_PLAN } from './processes.mjs';
import { endLeftoverPostgres, endLeftoverRedis, startPostgres, startRedis } from './services.mjs';
import { keepRunning, NodeProcess } from './supervise.mjs';
import { beginStep, say, yellow } from './terminal.mjs';

/** What ends first comes first; the parts of one rank end together. */
const STOP_ORDER = [['sample-app'], ['API', 'worker'], ['mailbox'], ['Redis'], ['PostgreSQL']];

export class LocalServices {
  #root;
  #data;
  #stop;
  #running = new Map();
  #keepers = [];

  /** @param stop what stopRequests() returned; @param data the folder `.data` */
  constructor({ root, data, stop }) {
    this.#root = root;
    this.#data = data;
    this.#stop = stop;
    stop.onHurry(() => {
      for (const service of this.#running.values()) service.hurry();
    });
  }

  /** One step of the display around `work(display)`. A failure is marked there and goes on up. */
  async step(label, work) {
    this.#stop.signal.throwIfAborted();
    const display = beginStep(label);
    try {
      return await work(display);
    } catch (error) {
      if (!this.#stop.signal.aborted) display.failed('failed');
      throw error;
    }
  }

  /** Ends what a killed run of this folder left behind; strangers' processes are never touched. */
  async endKilledRun() {
    const ended = [
      ...(await Promise.all(['API', 'worker'].map((name) => endLeftover(this.#record(name), STOP_PLAN)))),
      ...(await Promise.all(
        ['mailbox', 'sample-app'].map((name) => endLeftover(this.#record(name), STOP_PLAN)),
      )),
      await endLeftoverRedis(path.join(this.#data, 'redis')),
      await endLeftoverPostgres(path.join(this.#data, 'postgres')),
    ].filter(Boolean).length;
    if (ended === 0) return;
    say(
      `  ${yellow('!')} ${ended === 1 ? 'One process' : `${ended} processes`} of a killed run ended first.`,
    );
  }

  /** The URL of a private PostgreSQL; undefined when the environment names one (`given`). */
  startPostgres(given) {
    return this.step('PostgreSQL', async (display) => {
      if (given) return void display.done('the one of DATABASE_URL');
      const dir = path.join(this.#data, 'postgres');
      const server = await startPostgres({
        dir,
        logFile: this.#log('PostgreSQL'),
        note: (text) => display.note(text),
      });
      this.#running.set('PostgreSQL', server);
      display.done(`private, on port ${server.port}`);
      return server.url;
    });
  }

  /** The URL of a private Redis; undefined when the environment names one (`given`), or where none can be had. */
  startRedis(given, backend) {
    return this.step('Redis', async (display) => {
      if (backend === 'postgres') return void display.done('not wanted: QUEUE_BACKEND=postgres');
      if (given) return void display.done('the one of REDIS_URL');
      const server = await startRedis({
        dir: path.join(this.#data, 'redis'),
        logFile: this.#log('Redis'),
        note: (text) => display.note(text),
        signal: this.#stop.signal,
      });
      if (server === undefined) {
        return void display.skipped(
          'none here and none to be fetched: queues run on PostgreSQL (QUEUE_BACKEND=postgres)',
        );
      }
      this.#running.set('Redis', server);
      display.done(`private, on port ${server.port} (${server.description})`);
      return server.url;
    });
  }

  startMailbox({ mailboxPort, smtpPort }) {
    const url = `http://127.0.0.1:${mailboxPort}`;
    const ports = { MAILBOX_HTTP_PORT: String(mailboxPort), MAILBOX_SMTP_PORT: String(smtpPort) };
    return this.#startProcess('mailbox', 'Mailbox', url, {
      script: path.join('scripts', 'mailbox.mjs'),
      env: { ...process.env, ...ports },
      readyUrl: `${url}/api/version`,
    }).then(() => ({ url, smsUrl: url, smtpUrl: `smtp://127.0.0.1:${smtpPort}` }));
  }

  /** Whether the server of SMTP_URL answers. One that does not is no reason not to start: mails are kept and tried again. */
  tryMailServer(url) {
    return this.step('Mail server', async (display) => {
      const fault = await mailServerFault(url);
      if (fault === undefined) return void display.done('the one of SMTP_URL');
      this.deadMailServer = `${fault}: no mail is sent until it does. Check SMTP_URL; mails are kept and tried again.`;
      display.failed(fault);
    });
  }

  startApi({ apiUrl, apiOps, publicUrl }, env) {
    return this.#startProcess('API', 'API', `ready at ${publicUrl}`, {
      script: path.join('dist', 'src', 'main.js'),
      env: { ...env, OPS_HOST: apiOps.host, OPS_PORT: String(apiOps.port) },
      readyUrl: `${apiUrl}/debug/ready`,
    });
  }

  startWorker({ workerOps }, env) {
    return this.#startProcess('worker', 'Worker', 'ready', {
      script: path.join('dist', 'workers', 'main.js'),
      env: { ...env, OPS_HOST: workerOps.host, OPS_PORT: String(workerOps.port) },
      readyUrl: `http://${reachable(workerOps.host)}:${workerOps.port}/readyz`,
    });
  }

  /** The sample application, where the redirect URI of its client says. @returns its address; undefined without it */
  async startSampleApplication({ webApplication: { redirectUri } }, credentialsFile) {
    const { origin, port } = new URL(redirectUri);
    if (!(await isPortFree(Number(port)))) {
      await this.step('Sample app', (display) => display.skipped(`none: port ${port} is in use`));
      return undefined;
    }
    await this.#startProcess('sample-app', 'Sample app', origin, {
      script: path.join('scripts', 'sample-app.mjs'),
      env: { ...process.env, SAMPLE_APP_PORT: port, SAMPLE_APP_CREDENTIALS: credentialsFile },
      readyUrl: `http://127.0.0.1:${port}/`,
    });
    return origin;
  }

  /** From now on whatever ends by itself is started again; one that keeps ending ends the run. */
  keepRunning() {
    const report = (text) => say(`  ${yellow('!')} ${text}`);
    for (const [name, service] of this.#running) {
      const keeper = keepRunning(service, { name, signal: this.#stop.signal, say: report });
      this.#keepers.push(keeper.catch((error) => this.#stop.fail(error)));
    }
  }

  /** Ends everything that was started here, in order. */
  async stop() {
    await Promise.all(this.#keepers);
    if (this.#running.size === 0) return;
    const display = beginStep('Stopping');
    for (const names of STOP_ORDER) {
      const group = names.filter((name) => this.#running.has(name));
      display.note(group.join(' and '));
      await Promise.all(group.map((name) => this.#running.get(name).stop()));
    }
    display.done('everything that was started here has ended');
  }

  #startProcess(name, label, done, settings) {
    return this.step(label, async (display) => {
      const recordFile = this.#record(name);
      const service = new NodeProcess({
        name,
        recordFile,
        cwd: this.#root,
        logFile: this.#log(name),
        signal: this.#stop.signal,
        ...settings,
      });
      // Known before it is ready: one that never becomes ready has to be ended as well.
      this.#running.set(name, service);
      await service.start();
      display.done(done);
    });
  }

  #record(name) {
    return path.join(this.#data, 'run', `${name.toLowerCase()}.json`);
  }

  #log(name) {
    return path.join(this.#data, 'logs', `${name.toLowerCase()}.log`);
  }
}
