import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import pg from 'pg';
import { anyFreePort } from '../scripts/ports.mjs';
import { startPostgres, startRedis } from '../scripts/services.mjs';
import { cpuMicros, output, startNode, stop, untilReady } from './process.mjs';

// `npm run bench:mail`: messages from the commit that enqueues them to the mail server's 250, beside nodemailer alone
// against the same server in the same run; how long one message takes that somebody waits for, idle and behind a mass
// mailing; and how soon messages leave again after Redis was away. MAILS sets the size of the mailing, OUTAGES the
// seconds. One worker; it, PostgreSQL, Redis and the server of this file share the machine's cores.

const MAILS = Number(process.env.MAILS ?? 100_000);
const ALONE = Math.min(MAILS, Number(process.env.MAILS_ALONE ?? 5_000));
const WAITED = Number(process.env.MAILS_WAITED ?? 100);
const OUTAGES = (process.env.OUTAGES ?? '3,8,20').split(',').map(Number);
const CONNECTIONS = 8;
const USERS = 1_000;
const folder = mkdtempSync(path.join(tmpdir(), 'identity-bench-'));
const started = [];

function say(what, figure, beside = '') {
  process.stdout.write(`  ${what.padEnd(44)} ${figure.padEnd(30)} ${beside}\n`);
}

function perSecond(count, ms) {
  return `${Math.round((1000 * count) / ms).toLocaleString('en')}/s`;
}

function spread(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(0);
  return `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`;
}

/** A mail server that takes everything, and knows when it said so: by the first half of each Message-ID. */
class Sink {
  accepted = new Map();
  duplicates = 0;
  length = 0;
  server = createServer((socket) => this.converse(socket));

  async start() {
    await new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', resolve);
    });
    return `smtp://127.0.0.1:${this.server.address().port}`;
  }

  converse(socket) {
    let rest = '';
    let body;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.write('220 sink\r\n');
    socket.on('data', (data) => {
      rest += data.toString('latin1');
      for (;;) {
        if (body !== undefined) {
          const end = rest.indexOf('\r\n.\r\n');
          if (end < 0) return;
          this.take(rest.slice(0, end));
          rest = rest.slice(end + 5);
          body = undefined;
          socket.write('250 taken\r\n');
          continue;
        }
        const end = rest.indexOf('\r\n');
        if (end < 0) return;
        const verb = rest.slice(0, 4).toUpperCase();
        rest = rest.slice(end + 2);
        if (verb === 'DATA') {
          body = true;
          rest = `\r\n${rest}`;
          socket.write('354 go on\r\n');
        } else if (verb === 'QUIT') socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
  }

  take(raw) {
    this.length = raw.length;
    const id = /^message-id: <([^@>]+)@/im.exec(raw)?.[1] ?? '';
    if (this.accepted.has(id)) this.duplicates += 1;
    else this.accepted.set(id, performance.now());
  }

  async until(count) {
    while (this.accepted.size < count) await sleep(5);
    return performance.now();
  }

  async acceptedAt(id) {
    while (!this.accepted.has(id)) await sleep(1);
    return this.accepted.get(id);
  }
}

/** Messages that only tell something, so that no code is needed: queued as every use case does, in one transaction. */
async function enqueue(pool, count, lane, prefix) {
  const { rows } = await pool.query(
    `WITH numbered AS (SELECT n, $3::text || n AS id, 'user-' || (n % ${USERS}) AS user_id FROM generate_series(1, $1::int) n),
     queued AS (
       INSERT INTO outbox (queue, job_name, payload, lane)
       SELECT 'notifications', 'send-notification', jsonb_build_object('notificationId', id), $2 FROM numbered ORDER BY n
       RETURNING id, payload->>'notificationId' AS notification)
     INSERT INTO notifications (id, org_id, user_id, channel, template, outbox_id)
     SELECT numbered.id, 'bench', user_id, 'email', 'password_changed', queued.id
     FROM queued JOIN numbered ON numbered.id = queued.notification RETURNING id`,
    [count, lane, prefix],
  );
  return rows.length;
}

/** From commit to 250, one after the other. */
async function waitedFor(pool, sink, prefix, count, pauseMs) {
  const times = [];
  for (let number = 0; number < count; number += 1) {
    await enqueue(pool, 1, 'priority', `${prefix}${number}-`);
    const since = performance.now();
    times.push((await sink.acceptedAt(`${prefix}${number}-1`)) - since);
    await sleep(pauseMs);
  }
  return times;
}

/** The oldest message that was not handed to the queue, as the worker's metrics have it. */
class Lag {
  most = { priority: 0, bulk: 0 };
  running = true;

  constructor(pool) {
    this.done = this.loop(pool);
  }

  async loop(pool) {
    while (this.running) {
      const { rows } = await pool.query(
        `SELECT l.lane, greatest(0, extract(epoch FROM app_now() - oldest.available_at))::float8 AS age
         FROM (VALUES ('priority'), ('bulk')) AS l (lane) CROSS JOIN LATERAL (
           SELECT available_at FROM outbox o
           WHERE o.state = 'pending' AND o.queue = 'notifications' AND o.lane = l.lane
           ORDER BY o.available_at, o.id LIMIT 1) AS oldest`,
      );
      for (const { lane, age } of rows) this.most[lane] = Math.max(this.most[lane] ?? 0, age);
      await sleep(250);
    }
  }

  async end() {
    this.running = false;
    await this.done;
    return this.most;
  }
}

async function alone(url, sink, length) {
  const transport = createTransport({ url, pool: true, maxConnections: CONNECTIONS });
  const html = 'x'.repeat(Math.max(1, Math.floor(length / 2)));
  const send = (number, prefix) =>
    transport.sendMail({
      from: 'bench@id.test',
      to: 'user@mail.test',
      subject: 'Your password was changed',
      text: html,
      html,
      messageId: `<${prefix}${number}@id.test>`,
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => send(number, 'warm-')));
  const since = performance.now();
  const cpuBefore = cpuMicros(process);
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < ALONE) {
        next += 1;
        await send(next, 'alone-');
      }
    }),
  );
  transport.close();
  sink.accepted.clear();
  return { ms: performance.now() - since, cpu: cpuMicros(process) - cpuBefore };
}

async function outage(pool, sink, redis, seconds) {
  const prefix = `outage-${seconds}-`;
  await redis.stop();
  const gone = performance.now();
  let queued = 0;
  while (performance.now() - gone < seconds * 1000) {
    queued += 1;
    await enqueue(pool, 1, 'priority', `${prefix}${queued}-`);
    await sleep(100);
  }
  await redis.start();
  const back = performance.now();
  const times = [];
  for (let number = 1; number <= queued; number += 1) {
    times.push((await sink.acceptedAt(`${prefix}${number}-1`)) - back);
  }
  return { queued, first: Math.max(0, Math.min(...times)), last: Math.max(...times) };
}

async function main(pool, sink, smtpUrl, redis, worker) {
  await waitedFor(pool, sink, 'warm-', 20, 0);
  const idle = await waitedFor(pool, sink, 'idle-', WAITED, 20);
  say('commit to accepted, nothing else to do', spread(idle), `${WAITED} messages, one at a time`);

  // before and after, because a machine is not always as fast
  const before = await alone(smtpUrl, sink, sink.length);
  const lag = new Lag(pool);
  const since = performance.now();
  const cpuBefore = cpuMicros(worker);
  await enqueue(pool, MAILS, 'bulk', 'bulk-');
  const committed = performance.now();
  const behind = waitedFor(pool, sink, 'behind-', WAITED, 50);
  const busy = await behind;
  const left = MAILS - [...sink.accepted.keys()].filter((id) => id.startsWith('bulk-')).length;
  const ended = await sink.until(MAILS + WAITED);
  const cpu = cpuMicros(worker) - cpuBefore;
  const most = await lag.end();
  say(
    `commit to accepted behind ${MAILS.toLocaleString('en')} bulk mails`,
    spread(busy),
    `${left.toLocaleString('en')} of them still to go at the end`,
  );
  const after = await alone(smtpUrl, sink, sink.length);
  const rate = (MAILS + WAITED) / (ended - committed);
  say(
    'whole path, commit to accepted',
    perSecond(MAILS + WAITED, ended - committed),
    `nodemailer alone ${perSecond(ALONE, before.ms)} before, ${perSecond(ALONE, after.ms)} after: ` +
      `ratio ${(rate / ((2 * ALONE) / (before.ms + after.ms))).toFixed(2)}`,
  );
  if (!Number.isNaN(cpu)) {
    say(
      '  CPU of one message, in the worker',
      `${(cpu / (MAILS + WAITED) / 1000).toFixed(2)} ms`,
      `nodemailer alone, with the server it sends to, ${((before.cpu + after.cpu) / (2 * ALONE) / 1000).toFixed(2)} ms`,
    );
  }
  say('  the commit itself', `${(committed - since).toFixed(0)} ms`);
  say(
    'most that the outbox lagged',
    `priority ${most.priority.toFixed(2)} s`,
    `bulk ${most.bulk.toFixed(1)} s (waits in the outbox by design)`,
  );
  for (const seconds of redis === undefined ? [] : OUTAGES) {
    const { queued, first, last } = await outage(pool, sink, redis, seconds);
    say(
      `Redis away for ${seconds} s, then back`,
      `first after ${(first / 1000).toFixed(1)} s`,
      `all ${queued} after ${(last / 1000).toFixed(1)} s`,
    );
  }
  say('sent twice', String(sink.duplicates));
}

const sink = new Sink();
const smtpUrl = await sink.start();
const postgres = await startPostgres({ dir: path.join(folder, 'postgres') });
const redis = await startRedis({ dir: path.join(folder, 'redis') });
try {
  const env = {
    NODE_ENV: 'test',
    PUBLIC_URL: 'http://id.localhost:8080',
    DATABASE_URL: postgres.url,
    ...(redis === undefined ? { QUEUE_BACKEND: 'postgres' } : { REDIS_URL: redis.url }),
    MASTER_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: smtpUrl,
    LOG_LEVEL: 'error',
  };
  await output('0,1', ['dist/src/cli/migrate.js'], env);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  pool.on('error', () => {});
  await pool.query(`INSERT INTO organizations (id, name) VALUES ('bench', 'Bench')`);
  await pool.query(
    `INSERT INTO users (id, org_id, kind, user_name, state)
     SELECT 'user-' || n, 'bench', 'human', 'user-' || n, 'active' FROM generate_series(0, ${USERS - 1}) n`,
  );
  await pool.query(
    `INSERT INTO user_humans (user_id, org_id, first_name, last_name, display_name, email)
     SELECT 'user-' || n, 'bench', 'First', 'Last', 'First Last', 'user-' || n || '@mail.test'
     FROM generate_series(0, ${USERS - 1}) n`,
  );
  const ops = await anyFreePort();
  const worker = startNode('0,1', ['dist/workers/main.js'], { ...env, OPS_PORT: String(ops) });
  started.push(worker);
  await untilReady(worker, `http://127.0.0.1:${ops}/readyz`);
  await main(pool, sink, smtpUrl, redis, worker);
  await pool.end();
} finally {
  await Promise.all(started.map((child) => stop(child)));
  await redis?.stop();
  await postgres.stop();
  sink.server.close();
  rmSync(folder, { recursive: true, force: true });
}
