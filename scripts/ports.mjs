// Ports on this machine: whether one is free, and which one to take instead.
import { randomInt } from 'node:crypto';
import net from 'node:net';

function canListen(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) => resolve(error.code));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve('free')));
  });
}

/**
 * Free means free on `host` and on IPv6 loopback too: browsers try ::1 first for `localhost`, so a stranger's
 * server there would be answering in our place.
 */
export async function isPortFree(port, host = '127.0.0.1') {
  const answers = new Set([await canListen(port, host), await canListen(port, '::1')]);
  return !answers.has('EACCES') && !answers.has('EADDRINUSE');
}

/** Below the ports that systems give to outgoing connections: whoever is told such a port finds it free a while later, too. */
const QUIET = { first: 10_000, count: 22_000 };

/** A port that nobody uses. */
export async function anyFreePort(host = '127.0.0.1') {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = QUIET.first + randomInt(QUIET.count);
    if (await isPortFree(port, host)) return port;
  }
  throw new Error(`no free port found on ${host}`);
}

/** `first`, or the next free port after it that is not in `taken`. */
export async function nextFreePort(first, host = '127.0.0.1', taken = []) {
  for (let port = first; port < Math.min(first + 200, 65_536); port += 1) {
    if (!taken.includes(port) && (await isPortFree(port, host))) return port;
  }
  return anyFreePort(host);
}
