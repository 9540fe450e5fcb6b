import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { Client } from 'ldapts';
import { tracedCall } from '../../tracing/trace.js';
import { addressKind } from '../address-rules.js';
import { AddressRefused, guardedLookup, requireAllowedHost } from '../guarded-lookup.js';

const LDAP_PORT = 389;
const LDAPS_PORT = 636;
/** To one request: two entries at most, of a few attributes. */
const MOST_ANSWER_BYTES = 1024 * 1024;

/** Where a connection goes, and how it is protected. */
interface LdapServer {
  readonly url: string;
  readonly startTls: boolean;
  readonly caCertificate?: string | undefined;
  /** Whether this network's own addresses may be called, which is where a connection without TLS may go alone. */
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
}

/**
 * An established connection: its address was checked, and its TLS, if required. ldapts gets a socket that it
 * can only send to and receive from, and it must never reconnect by itself: such a connection would be anonymous.
 */
export async function openLdap(server: LdapServer, deadline: AbortSignal): Promise<Client> {
  const { hostname } = new URL(server.url);
  return await tracedCall('LDAP', hostname, async () => {
    const socket = await openSocket(server, deadline);
    let given: Socket | undefined = socket;
    return new Client({
      // TLS stands already, or is not to be
      url: `ldap://${hostname}`,
      timeout: server.timeoutMs,
      createConnection: () => {
        const connected = given;
        given = undefined;
        if (connected === undefined) throw new Error('the connection was closed');
        // ldapts listens as soon as it has it
        queueMicrotask(() => boundAnswers(connected));
        return connected;
      },
    });
  });
}

/** Whoever keeps a directory must not fill the memory of this process by an answer without end. */
function boundAnswers(socket: Socket): void {
  let written = socket.bytesWritten;
  let received = 0;
  socket.on('data', ({ length }: Buffer) => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      received = 0;
    }
    received += length;
    if (received > MOST_ANSWER_BYTES) socket.destroy(new Error('the answer is too large'));
  });
}

async function openSocket(server: LdapServer, deadline: AbortSignal): Promise<Socket> {
  const { url, startTls, allowPrivate } = server;
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  requireAllowedHost(host, allowPrivate);
  const isSecure = protocol === 'ldaps:';
  const plain = connectTcp({
    host,
    port: port === '' ? (isSecure ? LDAPS_PORT : LDAP_PORT) : Number(port),
    lookup: guardedLookup(allowPrivate),
  });
  try {
    await once(plain, 'connect', deadline);
    if (isSecure) return await secure(plain, host, server, deadline);
    if (startTls) {
      await askForTls(plain, deadline);
      return await secure(plain, host, server, deadline);
    }
    // whoever listens in between would read passwords
    if (!allowPrivate || addressKind(plain.remoteAddress ?? '') !== 'private') throw new AddressRefused();
    return plain;
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

async function secure(
  socket: Socket,
  host: string,
  { caCertificate }: LdapServer,
  deadline: AbortSignal,
): Promise<Socket> {
  const options: ConnectionOptions = {
    socket,
    // names are checked against the certificate even where the socket is given
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(caCertificate !== undefined && { ca: caCertificate }),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  };
  const secured = connectTls(options);
  await once(secured, 'secureConnect', deadline);
  return secured;
}

/** ExtendedRequest of StartTLS (RFC 4511 §4.14.1), as message 1. */
const START_TLS = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);
/** Tag and length of a short answer; tag, length and value of its message number; tag of an ExtendedResponse. */
const RESPONSE_TAG = 0x78;
const LONGEST_RESPONSE = 1024;

/**
 * Before ldapts reads anything: what somebody in between adds to the answer in clear must not be taken for the first answer
 * under TLS, so there must be nothing behind it.
 */
async function askForTls(socket: Socket, deadline: AbortSignal): Promise<void> {
  socket.write(START_TLS);
  let received: Buffer = Buffer.alloc(0);
  for (;;) {
    received = Buffer.concat([received, await nextData(socket, deadline)]);
    const length = lengthOf(received);
    if (length === undefined && received.length <= LONGEST_RESPONSE) continue;
    if (length === undefined || received.length > length) throw new Error('the answer to StartTLS is none');
    if (received.length === length) break;
  }
  if (resultOf(received) !== 0) throw new Error('the server has no StartTLS');
}

/** Of a whole message with its header; undefined while that has not arrived. */
function lengthOf(message: Buffer): number | undefined {
  const [tag, first] = message;
  if (first === undefined) return undefined;
  if (tag !== 0x30) throw new Error('the answer to StartTLS is none');
  if (first < 0x80) return 2 + first;
  const bytes = first - 0x80;
  if (bytes < 1 || bytes > 4) throw new Error('the answer to StartTLS is none');
  if (message.length < 2 + bytes) return undefined;
  const length = 2 + bytes + message.readUIntBE(2, bytes);
  if (length > LONGEST_RESPONSE) throw new Error('the answer to StartTLS is none');
  return length;
}

/** The result code of an ExtendedResponse to message 1; undefined for anything else. */
function resultOf(message: Buffer): number | undefined {
  let at = 2 + ((message[1] ?? 0) < 0x80 ? 0 : (message[1] ?? 0) - 0x80);
  if (message[at] !== 0x02 || message[at + 1] !== 1 || message[at + 2] !== 1) return undefined;
  at += 3;
  if (message[at] !== RESPONSE_TAG) return undefined;
  const first = message[at + 1] ?? 0;
  at += 2 + (first < 0x80 ? 0 : first - 0x80);
  return message[at] === 0x0a && message[at + 1] === 1 ? message[at + 2] : undefined;
}

async function nextData(socket: Socket, deadline: AbortSignal): Promise<Buffer> {
  const data = await once(socket, 'data', deadline);
  socket.pause();
  return data as Buffer;
}

/** The first event of that name, or whatever ends the connection before. */
async function once(
  socket: Socket,
  event: 'connect' | 'secureConnect' | 'data',
  deadline: AbortSignal,
): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    const settle = (): void => {
      socket.off(event, arrived);
      socket.off('error', failed);
      socket.off('close', closed);
      deadline.removeEventListener('abort', late);
    };
    const arrived = (given: unknown): void => {
      settle();
      resolve(given);
    };
    const failed = (error: Error): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    const closed = (): void => failed(new Error('the connection was closed'));
    const late = (): void => failed(Object.assign(new Error('it took too long'), { code: 'ETIMEDOUT' }));
    socket.once(event, arrived);
    socket.once('error', failed);
    socket.once('close', closed);
    if (deadline.aborted) return late();
    deadline.addEventListener('abort', late);
    if (event === 'data') socket.resume();
  });
}
