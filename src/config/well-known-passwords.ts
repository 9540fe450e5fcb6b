/** The first that anybody tries: names of products and roles, of this service, and what stands in examples. */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  `postgres postgresql postgress pgsql psql pgadmin database db sql redis foobared default identity identity-service
   zitadel cockroach root admin administrator user username test testing test123 tester guest demo sample example
   password password1 password12 password123 password1234 passw0rd p@ssw0rd p@ssword pass passwd pwd pass123 secret
   secret123 mysecretpassword mypassword supersecret topsecret changeme changeit change-me change_me changethis
   replaceme replace-me letmein welcome welcome1 docker dev develop development local localhost prod production staging
   master abc123 abcd1234 qwerty qwerty123 qwertz 1234 12345 123456 1234567 12345678 123456789 1234567890 0000 000000
   111111 admin123 admin1234 root123 toor postgres1 postgres123 postgres1234 redis123 none null undefined todo xxx`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

export const MAKE_PASSWORD = 'make one with: openssl rand -hex 24';

/** @param own other words that everybody can guess at: user and database */
export function isWellKnown(password: string, own: readonly (string | undefined)[] = []): boolean {
  const word = password.toLowerCase();
  return (
    WELL_KNOWN.has(word) ||
    own.some((other) => other !== undefined && other !== '' && other.toLowerCase() === word)
  );
}

export interface Account {
  readonly user: string;
  /** Empty for none. */
  readonly password: string;
  readonly database: string;
}

/**
 * Whom a connection URL signs in as, as the drivers read it: the query's word counts before that of its authority.
 * Undefined where it cannot be read.
 */
export function accountOf(given: string): Account | undefined {
  // PostgreSQL's form without a host, for a socket
  const text = URL.canParse(given) ? given : given.replace('@/', '@localhost/');
  if (!URL.canParse(text)) return undefined;
  const { username, password, pathname, searchParams } = new URL(text);
  const decoded = (part: string) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  return {
    user: searchParams.get('user') ?? decoded(username),
    password: searchParams.get('password') ?? decoded(password),
    database: decoded(pathname.slice(1)),
  };
}
