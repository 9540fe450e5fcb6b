import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMicros } from './process.mjs';

// A small HTTP/1.1 load generator: raw sockets and prepared bytes, so that the generator costs as little as it can
// of the core it shares with PostgreSQL.

const HEADER_END = Buffer.from('\r\n\r\n');

/** Bytes of one request with keep-alive. */
export function requestBytes(port, method, path, headers = {}, body = '') {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: localhost:${port}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== '' || method === 'POST') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Drives `connections` callers for `seconds`, each sending its next request when the last one is answered.
 *
 * @param {object} options
 * @param {{ port: number, child: import('node:child_process').ChildProcess }} options.server
 * @param {number} options.connections
 * @param {number} options.seconds
 * @param {(caller: number, answer?: { status: number, header: string, body: string }) => Buffer | undefined} options.next
 *   bytes to send next; undefined when this caller has nothing left to ask
 * @param {(caller: number, answer: { status: number, header: string, body: string }) => void} [options.seen] told of
 *   every answer, the last one included
 * @param {number} [options.pauseMs] how long a caller waits after an answer before the next request
 * @param {string[]} [options.from] local addresses that the callers take in turn; all of 127.0.0.0/8 are this machine
 * @returns {Promise<{ perSecond: number, p50: number, p95: number, p99: number, cpu: number, failures: number,
 *   count: number, sample?: object }>} `cpu`: microseconds of the server's CPU per request; `sample`: the last answer
 */
export async function drive({
  server,
  connections,
  seconds,
  next,
  seen = () => {},
  pauseMs = 0,
  from = ['127.0.0.1'],
}) {
  const { port, child } = server;
  const latencies = [];
  let failures = 0;
  let sample;
  const endsAt = performance.now() + seconds * 1000;
  const startedAt = performance.now();
  const cpuBefore = cpuMicros(child);
  await Promise.all(
    Array.from({ length: connections }, (_, caller) =>
      talk(
        { port, host: '127.0.0.1', localAddress: from[caller % from.length] },
        pauseMs,
        endsAt,
        (answer) => next(caller, answer),
        (ms, answer) => {
          latencies.push(ms);
          seen(caller, answer);
          sample = answer;
          const { status } = answer;
          if (status < 200 || status > 399) failures += 1;
        },
      ),
    ),
  );
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpuAfter = cpuMicros(child);
  latencies.sort((a, b) => a - b);
  return {
    count: latencies.length,
    cpu: (cpuAfter - cpuBefore) / latencies.length,
    perSecond: latencies.length / elapsed,
    p50: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p95: latencies[Math.floor(latencies.length * 0.95)] ?? 0,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    failures,
    sample,
  };
}

function talk(to, pauseMs, endsAt, next, record) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(to);
    socket.setNoDelay(true);
    let received = Buffer.alloc(0);
    let sentAt = 0;
    const send = (answer) => {
      const bytes = performance.now() >= endsAt ? undefined : next(answer);
      if (bytes === undefined) return socket.end(resolve);
      sentAt = performance.now();
      socket.write(bytes);
    };
    socket.on('connect', () => send());
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const headerEnd = received.indexOf(HEADER_END);
      if (headerEnd < 0) return;
      const header = received.toString('latin1', 0, headerEnd);
      const length = Number(/content-length: (\d+)/i.exec(header)?.[1] ?? 0);
      if (received.length < headerEnd + 4 + length) return;
      const status = Number(header.slice(9, 12));
      const body = received.toString('utf8', headerEnd + 4, headerEnd + 4 + length);
      received = Buffer.alloc(0);
      const answer = { status, header, body };
      record(performance.now() - sentAt, answer);
      if (pauseMs === 0) send(answer);
      else void sleep(pauseMs * (0.5 + Math.random())).then(() => send(answer));
    });
  });
}
