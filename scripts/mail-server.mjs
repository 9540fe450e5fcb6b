import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** @type {Readonly<Record<string, number>>} */
const PORTS = { 'smtp:': 25, 'smtps:': 465 };

/**
 * Why nobody greets as a mail server where this URL leads: one clause with host, port and cause, or undefined when somebody
 * does. User and password of the URL are neither sent nor told.
 *
 * @param {string} smtpUrl
 * @returns {Promise<string | undefined>}
 */
export async function mailServerFault(smtpUrl, timeoutMs = 5_000) {
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : undefined;
  // anything else is refused with the rest of the settings
  if (url === undefined || PORTS[url.protocol] === undefined) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'smtps:' || url.searchParams.get('secure') === 'true';
  const port = Number(url.port || PORTS[isTls ? 'smtps:' : 'smtp:']);
  const cause = await greeting({ host, port, isTls, timeoutMs });
  return cause && `The mail server at ${url.hostname}:${port} does not answer (${cause})`;
}

/**
 * @param {{ host: string, port: number, isTls: boolean, timeoutMs: number }} server
 * @returns {Promise<string | undefined>}
 */
function greeting({ host, port, isTls, timeoutMs }) {
  return new Promise((resolve) => {
    // whether its certificate holds is told by the first mail
    const socket = isTls
      ? connectTls({ host, port, servername: isIP(host) === 0 ? host : '', rejectUnauthorized: false })
      : connect(port, host);
    /** @param {string | undefined} cause */
    const end = (cause) => {
      resolve(cause);
      socket.destroy();
    };
    socket.setTimeout(timeoutMs, () => end('ETIMEDOUT'));
    socket.once('error', (error) => end('code' in error ? String(error.code) : 'unreachable'));
    socket.once('end', () => end('it hung up'));
    socket.once('data', (data) => end(/^220[ -]/.test(String(data)) ? undefined : 'it is no mail server'));
  });
}
