import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

const PORTS = { 'smtp:': 25, 'smtps:': 465 };

/**
 * Why nobody greets as a mail server where this URL leads: one clause with host, port and cause, or undefined when somebody
 * does. User and password of the URL are neither sent nor told.
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

function greeting({ host, port, isTls, timeoutMs }) {
  return new Promise((resolve) => {
    // whether its certificate holds is told by the first mail
    const socket = isTls
      ? connectTls({ host, port, servername: isIP(host) === 0 ? host : '', rejectUnauthorized: false })
      : connect(port, host);
    const end = (cause) => {
      resolve(cause);
      socket.destroy();
    };
    socket.setTimeout(timeoutMs, () => end('ETIMEDOUT'));
    socket.once('error', (error) => end(error.code ?? 'unreachable'));
    socket.once('end', () => end('it hung up'));
    socket.once('data', (data) => end(/^220[ -]/.test(String(data)) ? undefined : 'it is no mail server'));
  });
}
