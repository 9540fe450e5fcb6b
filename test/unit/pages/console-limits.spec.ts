import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sentInTime, Unanswered } from '../../../console/src/api/limits.js';
import { eventData } from '../../../console/src/imports/event-data.js';

// What the console does about answers that do not come, or stop on their way.

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A body that begins, and ends with what ends its call. */
function stalled(signal: AbortSignal, begun = ''): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(begun));
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
}

/** The network: what it does with a call that can be ended. */
function network(does: (signal: AbortSignal) => Promise<Response>): void {
  vi.stubGlobal(
    'fetch',
    async (_request: Request, { signal }: { readonly signal: AbortSignal }) => await does(signal),
  );
}

const never = async (signal: AbortSignal): Promise<Response> =>
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** How a call ends, once it has. */
function send({ path = 'users/1', accept = 'application/json', ...more }: Sent): { end?: unknown } {
  const call: { end?: unknown } = {};
  const request = new Request(`https://id.example/management/v1/${path}`, { headers: { accept }, ...more });
  sentInTime(request).then(
    (answer) => (call.end = answer),
    (error: unknown) => (call.end = error),
  );
  return call;
}

const TOO_LATE = expect.objectContaining({ name: 'TimeoutError' });

it.each([
  ['GET', 'users/1'],
  ['POST', 'users/_search'],
  ['POST', 'projects/1/apps/2/_preview'],
])('%s %s, which only reads, ends after half a minute', async (method, path) => {
  network(never);
  const call = send({ method, path });
  await vi.advanceTimersByTimeAsync(29_999);
  expect(call).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  expect(call.end).toEqual(TOO_LATE);
});

it('a change ends after two minutes, and whether it was made is not known', async () => {
  network(never);
  const call = send({ method: 'PUT' });
  await vi.advanceTimersByTimeAsync(119_999);
  expect(call).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  expect(call.end).toBeInstanceOf(Unanswered);
});

it('neither is it where the connection breaks off, but somebody who stops it knows', async () => {
  network(async () => await Promise.reject(new TypeError('Failed to fetch')));
  const [change, look] = [send({ method: 'DELETE' }), send({})];
  await vi.advanceTimersByTimeAsync(0);
  expect(change.end).toBeInstanceOf(Unanswered);
  expect(look.end).toBeInstanceOf(TypeError);
  network(never);
  const stop = new AbortController();
  const stopped = send({ method: 'POST', signal: stop.signal });
  stop.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(stopped.end).toEqual(expect.objectContaining({ name: 'AbortError' }));
});

it('an answer that stops after its head counts as none', async () => {
  network(async (signal) => await Promise.resolve(new Response(stalled(signal, '{"id"'))));
  const [look, change] = [send({}), send({ method: 'POST' })];
  await vi.advanceTimersByTimeAsync(30_000);
  expect(look.end).toEqual(TOO_LATE);
  expect(change).toEqual({});
  await vi.advanceTimersByTimeAsync(90_000);
  expect(change.end).toBeInstanceOf(Unanswered);
});

it('an answer in time is whole, and nothing ends it later', async () => {
  network(async () => await Promise.resolve(Response.json({ id: '1' })));
  const call = send({});
  await vi.advanceTimersByTimeAsync(0);
  expect(await (call.end as Response).json()).toEqual({ id: '1' });
  expect(vi.getTimerCount()).toBe(0);
});

it('a file may begin late, and a stream may last', async () => {
  network(never);
  const file = send({ path: 'imports/1/results', accept: 'text/csv' });
  const exported = send({ method: 'POST', path: 'events/_search', accept: 'application/x-ndjson' });
  const silent = send({ path: 'imports/1/events', accept: 'text/event-stream' });
  await vi.advanceTimersByTimeAsync(600_000);
  expect([file, exported]).toEqual([{}, {}]);
  expect(silent.end).toEqual(TOO_LATE);
  let ended: AbortSignal | undefined;
  network(async (signal) => await Promise.resolve(new Response(stalled((ended = signal), 'data: 1\n'))));
  const stream = send({ path: 'imports/1/events', accept: 'text/event-stream' });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(stream.end).toBeInstanceOf(Response);
  expect(ended?.aborted).toBe(false);
});

it('a stream of events that falls silent ends, and a word in between is enough', async () => {
  let say: (text: string) => void = () => undefined;
  const open = async (signal: AbortSignal): Promise<ReadableStream<Uint8Array>> =>
    await Promise.resolve(
      new ReadableStream({
        start(controller) {
          say = (text) => controller.enqueue(new TextEncoder().encode(text));
          signal.addEventListener('abort', () => controller.error(signal.reason));
        },
      }),
    );
  const heard: string[] = [];
  let end: unknown;
  void (async () => {
    for await (const data of eventData(open)) heard.push(data);
  })().catch((error: unknown) => (end = error));
  await vi.advanceTimersByTimeAsync(0);
  say('event: pace\ndata: {"steps":');
  say('[]}\n\n');
  await vi.advanceTimersByTimeAsync(40_000);
  say(':\n\n');
  await vi.advanceTimersByTimeAsync(40_000);
  say('data: 2\n\n');
  await vi.advanceTimersByTimeAsync(44_999);
  expect({ heard, end }).toEqual({ heard: ['{"steps":[]}', '2'], end: undefined });
  await vi.advanceTimersByTimeAsync(1);
  expect(end).toEqual(TOO_LATE);
});
