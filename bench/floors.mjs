import { anyFreePort } from '../scripts/ports.mjs';
import { CONNECTIONS } from './knobs.mjs';
import { drive, requestBytes } from './load.mjs';
import { API_CORE, output, startNode, untilReady } from './process.mjs';

// The floors of architecture §8: what the same core makes of the one thing that cannot be left out.

export const SELECT = 'one prepared select';

/** Starts the bare server on the core of the API. It costs nothing while nobody asks it. */
export async function startFloors({ env, userId }, bodies) {
  const port = await anyFreePort();
  const child = startNode(API_CORE, ['bench/floor-server.mjs'], {
    ...env,
    PORT: String(port),
    FLOOR_USER: userId,
    FLOOR_BODIES: JSON.stringify(bodies),
  });
  await untilReady(child, `http://127.0.0.1:${port}/floor`);
  const asking = (path, connections) => {
    const request = requestBytes(port, 'GET', path);
    return (seconds) => drive({ server: { port, child }, connections, seconds, next: () => request });
  };
  return {
    child,
    select: { name: SELECT, take: asking('/floor', CONNECTIONS) },
    bytes: (number) => ({ name: 'the same bytes', take: asking(`/bytes/${number}`, CONNECTIONS) }),
  };
}

function script(name, file) {
  return {
    name,
    take: async (seconds) => JSON.parse(await output(API_CORE, [`bench/${file}`, String(seconds)], {})),
  };
}

export const rsaSignatures = script('RSA-2048 signatures', 'sign-floor.mjs');
export const argon2 = script('argon2id', 'argon2-floor.mjs');
