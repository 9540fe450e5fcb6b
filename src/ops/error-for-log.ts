import { messageOf } from '../domain/shared/message-of.js';

/**
 * What of an error may stand in a log. Drivers hang the statement's values, the command with its arguments, rows, server
 * answers and whole URLs onto their errors, and quote some in the message: what is not named here is left out.
 */
const KEPT = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'hostname',
  // PostgreSQL: names of things, never rows
  'severity',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'routine',
  // SMTP and HTTP
  'responseCode',
  'status',
  'statusCode',
] as const;

/** Deeper than any chain of causes is. */
const MOST_CAUSES = 5;

type LoggedError = Readonly<Record<string, unknown>>;

export function errorForLog(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const values = error as unknown as Readonly<Record<string, unknown>>;
  const message = messageForLog(error);
  const kept = KEPT.flatMap((name) => {
    const value = values[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });
  const deeper = (inner: unknown) => errorForLog(inner, depth + 1);
  const { cause } = error;
  return {
    type: error.name,
    message,
    stack: stackOf(error, message),
    ...Object.fromEntries(kept),
    ...(cause !== undefined && depth < MOST_CAUSES && { cause: deeper(cause) }),
    ...(error instanceof AggregateError && depth < MOST_CAUSES && { errors: error.errors.map(deeper) }),
  };
}

/** The message without what its library quotes in it. */
export function messageForLog(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? scrubbed(error) : 'unknown error';
  const message = messageOf(error, messageForLog);
  const values = error as unknown as Readonly<Record<string, unknown>>;
  // "invalid input syntax for type integer: "…"": errors of class 22 contain values (PostgreSQL, appendix A)
  if (typeof values['severity'] === 'string' && String(values['code']).startsWith('22')) {
    return scrubbed(message.replace(/"[\s\S]*$/, '"…"'));
  }
  // a mail server's answer may repeat its input
  if (typeof values['responseCode'] === 'number') {
    return `${message.split(':')[0] ?? ''}: ${values['responseCode']}`;
  }
  return scrubbed(message);
}

function scrubbed(text: string): string {
  return (
    text
      // who signs in somewhere, in a URL
      .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, '$1***@')
      // Redis: "ERR unknown command 'X', with args beginning with: …"
      .replace(/(with args beginning with:)[\s\S]*$/i, '$1 …')
      .replace(/\b(AUTH (?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5)) \S+/gi, '$1 …')
  );
}

/** Frames alone under the scrubbed message: the engine's own text begins with the other one. */
function stackOf({ name, stack = '' }: Error, message: string): string {
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  return [`${name}: ${message}`, ...frames].join('\n');
}
