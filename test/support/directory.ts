import { connect, createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import ldap, { type Server } from 'ldapjs';
import { TestAuthority, type Certificate } from '../conformance/support/certificate.js';

export const BASE_DN = 'ou=people,dc=acme,dc=test';
export const BIND_DN = 'cn=identity,dc=acme,dc=test';
export const BIND_PASSWORD = 'the password of a service account of tests';

const SLOW_MS = 600;
/** RFC 4511 §4.1.10. */
const REFERRAL = 10;

export interface DirectoryUser {
  readonly password: string;
  /** A Buffer is bytes that are no text. */
  readonly attributes: Readonly<Record<string, string | readonly string[] | Buffer>>;
}

/** A directory on ports of its own (ldapjs): one that is plain, one with TLS, and one that begins TLS when asked to. */
export class DirectoryDouble {
  /** By DN. */
  readonly users = new Map<string, DirectoryUser>();
  /** Binds that were tried, the service account's among them. */
  readonly binds: { readonly dn: string; readonly password: string }[] = [];
  /** Filters of searches, as they were understood. */
  readonly searches: string[] = [];
  trouble: 'busy' | 'silent' | 'slow to bind' | 'wants TLS of people' | 'wants more of people' | undefined;
  /** Another server that searches name: beside what is found here, or in its place. */
  refersTo: { readonly url: string; readonly how: 'beside' | 'in place' } | undefined;
  /** What stands behind the answer to StartTLS, and whether it is refused. */
  startTls: 'works' | 'refused' | 'with more behind it' = 'works';

  private constructor(
    private readonly plain: Server,
    private readonly secure: Server,
    private readonly front: NetServer,
    private readonly certificate: Certificate,
    /** PEM of who signed its certificate. */
    readonly authority: string,
  ) {}

  static async start(): Promise<DirectoryDouble> {
    const authority = new TestAuthority();
    const certificate = authority.issue('localhost');
    const plain = ldap.createServer();
    const secure = ldap.createServer({ certificate: certificate.cert, key: certificate.key });
    const front = createServer((socket) => {
      socket.on('error', () => undefined);
      directory.beginTls(socket);
    });
    const directory = new DirectoryDouble(plain, secure, front, certificate, authority.cert);
    for (const server of [plain, secure]) {
      directory.serve(server);
      server.on('error', () => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    return directory;
  }

  async stop(): Promise<void> {
    this.front.close();
    for (const server of [this.plain, this.secure])
      await new Promise<void>((resolve) => server.close(resolve));
  }

  /** TLS from the beginning; the certificate is of `localhost`. */
  get ldaps(): string {
    return `ldaps://localhost:${portOf(this.secure.server)}`;
  }
  get ldap(): string {
    return `ldap://127.0.0.1:${portOf(this.plain.server)}`;
  }
  get ldapWithStartTls(): string {
    return `ldap://localhost:${portOf(this.front)}`;
  }

  reset(): void {
    this.users.clear();
    this.binds.length = 0;
    this.searches.length = 0;
    this.trouble = undefined;
    this.refersTo = undefined;
    this.startTls = 'works';
  }

  /** Of people only. */
  get triedPasswords(): readonly string[] {
    return this.binds.filter(({ dn }) => dn !== BIND_DN).map(({ password }) => password);
  }

  private serve(server: Server): void {
    server.bind('', (request, response, next) => {
      const dn = normal(request.dn.toString());
      const { credentials: password } = request;
      this.binds.push({ dn, password });
      if (dn !== BIND_DN && this.trouble === 'wants TLS of people') {
        return next(new ldap.ConfidentialityRequiredError());
      }
      if (dn !== BIND_DN && this.trouble === 'wants more of people') {
        return next(new ldap.StrongAuthRequiredError());
      }
      // an unauthenticated bind succeeds, as RFC 4513 §5.1.2 lets it
      const right = dn === BIND_DN ? BIND_PASSWORD : this.users.get(dn)?.password;
      if (password !== '' && password !== right) return next(new ldap.InvalidCredentialsError());
      const answer = (): void => {
        response.end();
        next();
      };
      if (this.trouble === 'slow to bind') return void setTimeout(answer, SLOW_MS);
      return answer();
    });
    server.search('', (request, response, next) => {
      this.searches.push(request.filter.toString());
      if (this.trouble === 'busy') return next(new ldap.UnavailableError());
      if (this.trouble === 'silent') return undefined;
      if (this.refersTo?.how === 'in place') {
        response.addReferral(this.refersTo.url);
        return response.end(REFERRAL);
      }
      // ldapjs would look for the lower case of each among those that were asked for, as they were written
      response.attributes = ['*'];
      for (const [dn, { attributes }] of this.users) {
        const texts = Object.fromEntries(
          Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value]),
        );
        if (!request.filter.matches({ ...texts, objectclass: ['person'] })) continue;
        response.send({ dn, attributes: { ...attributes, objectClass: ['person'] } });
      }
      if (this.refersTo !== undefined) response.send(response.createSearchReference(this.refersTo.url));
      response.end();
      return next();
    });
  }

  /** ldapjs has no StartTLS: this answers it, and hands what is under TLS on to the plain server. */
  private beginTls(socket: Socket): void {
    socket.once('data', (asked) => {
      if (!asked.includes('1.3.6.1.4.1.1466.20037')) return void socket.destroy();
      const code = this.startTls === 'refused' ? 0x35 : 0x00;
      const answer = Buffer.from([0x30, 0x0c, 2, 1, 1, 0x78, 0x07, 0x0a, 1, code, 4, 0, 4, 0]);
      // BindResponse "success" to the message that comes next, in clear
      const forged = Buffer.from([0x30, 0x0c, 2, 1, 2, 0x61, 0x07, 0x0a, 1, 0, 4, 0, 4, 0]);
      socket.write(this.startTls === 'with more behind it' ? Buffer.concat([answer, forged]) : answer);
      if (code !== 0) return undefined;
      const { cert, key } = this.certificate;
      const secured = new TLSSocket(socket, {
        isServer: true,
        secureContext: createSecureContext({ cert, key }),
      });
      secured.on('error', () => undefined);
      const { port } = this.plain.server.address() as AddressInfo;
      const inner = createConnectionTo(port);
      secured.pipe(inner).pipe(secured);
      return undefined;
    });
  }
}

function createConnectionTo(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  return socket;
}

function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/** Without the blanks that a DN may have behind its commas. */
function normal(dn: string): string {
  return dn.replaceAll(/,\s+/g, ',').toLowerCase();
}
