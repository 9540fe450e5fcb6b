/**
 * A connection URL may name several servers, in libpq's grammar (PostgreSQL's documentation, "Connection URIs" and
 * "Specifying Multiple Hosts"): `postgres://user:password@a:5432,b:5433/db`, or `?host=a,b&port=5432,5433`. Node's URL and
 * node-postgres know one alone.
 */

const PARTS = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/;
/** Of a URL whose server must take writes, what libpq calls so. */
const WRITABLE = new Set(['read-write', 'primary']);

class ServersError extends Error {}

/**
 * One URL for each server, each of which node-postgres reads.
 *
 * @throws ServersError saying what is wrong, without a value of it
 */
export function serversOf(url: string): readonly string[] {
  const [, scheme = '', account, authority = '', path = '', query = ''] = PARTS.exec(url) ?? [];
  if (scheme === '')
    throw new ServersError('must be a URL such as postgres://user:password@host:5432/database');
  const parameters = new URLSearchParams(query);
  const several = [authority, parameters.get('host'), parameters.get('port')].some((list) =>
    list?.includes(','),
  );
  const wanted = parameters.get('target_session_attrs');
  if (!several && wanted === null) return [url];
  const servers = listed(authority, parameters);
  for (const name of ['host', 'port', 'target_session_attrs']) parameters.delete(name);
  const rest = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  const before = account === undefined ? scheme : `${scheme}${account}@`;
  return servers.map((server) => `${before}${server}${path}${rest}`);
}

/** What stands for the same server as the URL's own words: the query's host and port count before those in front. */
function listed(authority: string, parameters: URLSearchParams): readonly string[] {
  const hosts = (parameters.get('host') ?? authority).split(',');
  const ports = parameters.get('port')?.split(',') ?? [];
  // libpq: one port is everybody's, else there is one for each
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new ServersError(`names ${hosts.length} hosts and ${ports.length} ports`);
  }
  return hosts.map((host, index) => {
    const [, name = '', own] = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/.exec(host) ?? [];
    if (name === '' && host !== '') throw new ServersError('names a host that cannot be read');
    const port = ports[ports.length > 1 ? index : 0] ?? own ?? '';
    const written = name.startsWith('/') ? encodeURIComponent(name) : name;
    return port === '' ? written : `${written}:${port}`;
  });
}

/** Why it is no URL of servers, of which one takes writes unless `any` will do. */
export function serversProblem(url: string, which: 'writable' | 'any' = 'writable'): string | undefined {
  try {
    serversOf(url);
  } catch (error) {
    return error instanceof ServersError ? error.message : 'cannot be read';
  }
  const wanted = new URLSearchParams(PARTS.exec(url)?.[5] ?? '').get('target_session_attrs');
  if (wanted === null || which === 'any' || WRITABLE.has(wanted)) return undefined;
  return 'target_session_attrs must be read-write or primary: the service writes';
}

/** A URL that names nobody is for the account of the other. */
export function withAccountOf(other: string, url: string): string {
  const [, scheme = '', account, authority = '', path = '', query] = PARTS.exec(url) ?? [];
  const [, , known] = PARTS.exec(other) ?? [];
  if (account !== undefined || known === undefined) return url;
  return `${scheme}${known}@${authority}${path}${query === undefined ? '' : `?${query}`}`;
}

/** The same URL with a password for its account. */
export function withPassword(url: string, password: string): string {
  return url.replace(
    /^([a-z]+:\/\/)(?:([^@/?#:]*):?@)?/,
    (_, scheme: string, user = '') => `${scheme}${user}:${encodeURIComponent(password)}@`,
  );
}
