import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiProcess } from '../faults/support/api-process.js';
import { hiddenFields } from '../support/browser-flow.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { Collector, type ReceivedSpan } from './support/collector.js';
import { eventually } from './support/eventually.js';
import { plain, SmtpSink } from './support/smtp-sink.js';
import { WorkerProcess } from './support/worker-process.js';

// One trace from the form in the browser to the mail server, through the outbox and the queue, seen from a collector.

const { api, world } = useWorld();
let collector: Collector;
let sink: SmtpSink;
let server: ApiProcess;
let worker: WorkerProcess;

beforeAll(async () => {
  collector = await Collector.start();
  sink = await SmtpSink.start();
  const settings = {
    ...api.environment,
    SMTP_URL: sink.url,
    OPS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20for-the-collector',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    LOG_LEVEL: 'debug',
  };
  server = await ApiProcess.beside(settings, { TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'debug' });
  worker = WorkerProcess.spawn(settings);
  await Promise.all([server.untilReady(), worker.untilReady()]);
});

afterAll(async () => {
  await Promise.all([server.kill(), worker.kill()]);
  await Promise.all([collector.stop(), sink.stop()]);
});

const traceIdOf = (pair: string): string => pair.repeat(16);

/** As the trusted proxy hands it on. */
function from(traceId: string): Record<string, string> {
  return { 'x-forwarded-for': '203.0.113.9', traceparent: `00-${traceId}-${'b'.repeat(16)}-01` };
}

async function spanIn(
  traceId: string,
  name: string,
  isWanted: (span: ReceivedSpan) => boolean = () => true,
): Promise<ReceivedSpan> {
  return await eventually(`a span ${name}`, 60_000, () =>
    collector.of(traceId).find((span) => span.name === name && isWanted(span)),
  );
}

/** Asks for a mail by which a forgotten password is replaced. @returns the code in it */
async function forgetPassword(
  to: string,
  loginName: string,
  headers: Record<string, string>,
): Promise<string> {
  const page = await fetch(`${server.origin}/password/forgotten`);
  const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const form = { ...hiddenFields(await page.text()), loginName };
  const answer = await fetch(`${server.origin}/password/forgotten`, {
    method: 'POST',
    headers: { ...headers, cookie: cookie.join('; '), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    redirect: 'manual',
  });
  expect(answer.status).toBeLessThan(400);
  const mail = await eventually('the mail', 60_000, () => sink.to(to)[0]);
  return /code=(\w+)/.exec(plain(mail.raw))?.[1] ?? '';
}

describe('a trace', () => {
  it('leads from the request to the mail server, and tells no secret', async () => {
    const user = await aUser(world);
    const to = `${user.userName}@mail.test`;
    const id = traceIdOf('a1');
    const code = await forgetPassword(to, user.loginName, from(id));
    expect(code).not.toBe('');

    const request = await spanIn(id, 'POST /password/forgotten');
    expect(request).toMatchObject({ service: 'identity-api', parentSpanId: 'b'.repeat(16), failed: false });
    const added = await spanIn(id, 'outbox-add');
    // the worker has transactions in this trace, too, and its spans may come first
    const transaction = await spanIn(id, 'transaction', ({ spanId }) => spanId === added.parentSpanId);
    expect(transaction.service).toBe('identity-api');
    const job = await spanIn(id, 'process send-notification');
    expect(job).toMatchObject({ service: 'identity-worker', parentSpanId: transaction.spanId });
    const mail = await spanIn(id, 'SMTP');
    expect(mail.attributes).toMatchObject({ 'server.address': '127.0.0.1' });
    expect(mail.service).toBe('identity-worker');

    await eventually('a line of the log with the trace', 60_000, () =>
      server.log.includes(`"trace_id":"${id}"`),
    );
    expect(collector.authorization).toBe('Bearer for-the-collector');
    for (const secret of [code, to, user.userName, user.loginName]) {
      expect(collector.text.includes(secret), secret).toBe(false);
    }
  });

  it('is begun anew for whoever does not come by a trusted proxy', async () => {
    const id = traceIdOf('c2');
    const { 'x-forwarded-for': _, ...headers } = from(id);
    const path = `${server.origin}/.well-known/openid-configuration`;
    const before = collector.spans.length;
    expect((await fetch(path, { headers })).status).toBe(200);
    await eventually('the span of the request', 60_000, () =>
      collector.spans.slice(before).find(({ name }) => name === 'GET /.well-known/openid-configuration'),
    );
    expect(collector.of(id)).toEqual([]);
  });

  it('costs no request when the collector is away, and says so once', async () => {
    const away = await ApiProcess.beside(api.environment, {
      OPS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    await away.untilReady();
    for (let turn = 0; turn < 5; turn += 1)
      expect((await fetch(`${away.origin}/oauth/v2/keys`)).status).toBe(200);
    await eventually('a line about the collector', 60_000, () =>
      away.log.includes('"spans cannot be sent"') ? true : undefined,
    );
    expect(away.log.split('"spans cannot be sent"')).toHaveLength(2);
    away.signal('SIGTERM');
    await away.exited;
  });
});
