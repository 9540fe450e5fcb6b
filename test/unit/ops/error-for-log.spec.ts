import { connect, createServer, type AddressInfo, type LookupFunction } from 'node:net';
import { Redis } from 'ioredis';
import { createTransport } from 'nodemailer';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { messageOf } from '../../../src/domain/shared/message-of.js';
import { errorForLog, messageForLog } from '../../../src/ops/error-for-log.js';

const MARKER = 'Marker-secret';

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

/** A server that says these lines, one for each that it is told. */
async function scripted<Result>(
  lines: (told: string) => string | undefined,
  work: (port: number) => Promise<Result>,
  greeting = '',
): Promise<Result> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (greeting !== '') socket.write(greeting);
    socket.on('data', (data) => {
      const answer = lines(data.toString());
      if (answer !== undefined) socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

function logged(error: unknown): string {
  return JSON.stringify(errorForLog(error));
}

describe('S201: an error in the log', () => {
  it('of ioredis holds no argument of a command, nor what Redis quotes of it', async () => {
    const said = `-ERR unknown command 'NOPE', with args beginning with: '${MARKER}'\r\n`;
    const error = await scripted(
      // one answer for each command that came
      (told) => said.repeat(told.match(/^\*[0-9]+\r$/gm)?.length ?? 1),
      async (port) => {
        const redis = new Redis(port, '127.0.0.1', { enableReadyCheck: false, retryStrategy: () => null });
        redis.on('error', () => undefined);
        try {
          return await failureOf(() => redis.call('NOPE', MARKER));
        } finally {
          redis.disconnect();
        }
      },
    );
    // the library hangs it on
    expect(JSON.stringify(error) + String(error)).toContain(MARKER);
    expect(logged(error)).not.toContain(MARKER);
    expect(messageForLog(error)).toBe(`ERR unknown command 'NOPE', with args beginning with: …`);
  });

  it('of pg holds no row and no value', () => {
    const error = new pg.DatabaseError(`invalid input syntax for type integer: "${MARKER}"`, 1, 'error');
    Object.assign(error, {
      code: '22P02',
      severity: 'ERROR',
      detail: `Key (email)=(${MARKER}) already exists.`,
      where: MARKER,
      internalQuery: MARKER,
      query: `SELECT '${MARKER}'`,
      parameters: [MARKER],
      table: 'users',
      constraint: 'users_pkey',
    });
    const text = logged(new Error('outer', { cause: error }));
    expect(text).not.toContain(MARKER);
    expect(JSON.parse(text)).toMatchObject({
      message: 'outer',
      cause: { code: '22P02', table: 'users', constraint: 'users_pkey' },
    });
  });

  it('of nodemailer holds neither the account nor what the server answers', async () => {
    const answer = (told: string) =>
      told.startsWith('EHLO')
        ? '250-scripted\r\n250 AUTH PLAIN\r\n'
        : `535 5.7.8 ${told.trim()} ${MARKER}\r\n`;
    const error = await scripted(
      answer,
      async (port) => {
        const auth = { user: 'somebody', pass: MARKER };
        const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true, auth });
        return await failureOf(() => transport.sendMail({ from: 'a@b.test', to: 'c@d.test', text: MARKER }));
      },
      '220 scripted\r\n',
    );
    const encoded = Buffer.from(`\0somebody\0${MARKER}`).toString('base64');
    expect(JSON.stringify(error) + String(error)).toContain(MARKER);
    const text = logged(error);
    expect(text).not.toContain(MARKER);
    expect(text).not.toContain(encoded);
    expect(JSON.parse(text)).toMatchObject({
      code: 'EAUTH',
      responseCode: 535,
      message: 'Invalid login: 535',
    });
  });

  it('holds no account of a URL, in message, stack, cause or one of several', () => {
    const url = `postgres://app:${MARKER}@db.internal/accounts`;
    const invalid = (() => {
      try {
        return new URL(`http://[${MARKER}`);
      } catch (error) {
        return error;
      }
    })();
    const inner = new Error(`cannot reach ${url} and redis://:${MARKER}@redis:6379`);
    const many = new AggregateError([inner, invalid], `all of ${url}`, { cause: inner });
    expect(logged(many)).not.toContain(MARKER);
    expect(messageForLog(inner)).toBe(
      'cannot reach postgres://***@db.internal/accounts and redis://***@redis:6379',
    );
    expect(JSON.parse(logged(inner))).toMatchObject({
      stack: expect.stringContaining('\n    at ') as string,
    });
  });

  it('says what came of each address where the error itself says nothing', async () => {
    const port = await anyFreePort();
    const refused = await failureOf(
      () =>
        new Promise((resolve, reject) => {
          const lookup: LookupFunction = (_host, _options, answer) =>
            answer(null, [
              { address: '127.0.0.1', family: 4 },
              { address: '127.0.0.2', family: 4 },
            ]);
          connect({ host: 'db.test', port, lookup, autoSelectFamily: true })
            .once('connect', resolve)
            .once('error', reject);
        }),
    );
    expect((refused as Error).message).toBe('');
    const told = `connect ECONNREFUSED 127.0.0.1:${port}, connect ECONNREFUSED 127.0.0.2:${port}`;
    expect(messageForLog(refused)).toBe(told);
    expect(errorForLog(refused)).toMatchObject({ message: told, code: 'ECONNREFUSED' });
    expect(messageOf(refused)).toBe(told);
    const url = `postgres://app:${MARKER}@db.internal/accounts`;
    expect(messageForLog(new AggregateError([new Error(url), 'x']))).toBe(
      'postgres://***@db.internal/accounts, x',
    );
    expect(messageForLog(Object.assign(new Error(), { code: 'EPIPE' }))).toBe('EPIPE');
    expect(messageForLog(new AggregateError([]))).toBe('AggregateError');
  });

  it('ends, however its causes are tied together', () => {
    const one = new Error('one');
    one.cause = new Error('two', { cause: one });
    expect(logged(one).length).toBeLessThan(20_000);
  });
});
