import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { EventStream } from '../../../src/http/management-api/event-stream.js';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function failureOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Writes far more than a connection holds to a reader who reads, or never does. */
async function streamTo(reads: boolean): Promise<{ readonly failed: unknown; readonly destroyed: boolean }> {
  return await new Promise((resolve, reject) => {
    const answer = async (response: ServerResponse): Promise<void> => {
      const stream = new EventStream(response, reads ? 10_000 : 200);
      const failed = await failureOf(async () => {
        for (let event = 0; event < 64; event += 1) {
          await stream.send('progress', { pad: 'x'.repeat(1 << 20) });
        }
      });
      stream.end();
      resolve({ failed, destroyed: response.destroyed });
    };
    const server = createServer((_, response) => void answer(response).catch(reject));
    servers.push(server);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      const socket = connect(port, '127.0.0.1').once('error', reject);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      if (reads) socket.resume();
      else socket.pause();
    });
  });
}

describe('a stream of events', () => {
  it('S447: ends for a reader who takes nothing, and keeps nothing for them', async () => {
    const { failed, destroyed } = await streamTo(false);
    expect(failed).toMatchObject({ message: 'the reader takes nothing' });
    expect(destroyed).toBe(true);
  });

  it('goes on for one who reads', async () => {
    expect(await streamTo(true)).toEqual({ failed: undefined, destroyed: false });
  });
});
