/** Fields of a log line: ids, counts, codes, durations. Never a token, code, hash, assertion, password or mail body. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The service's log. `error` takes the error itself; its stack goes to the operator's log and nowhere else. */
export abstract class Log {
  abstract debug(message: string, fields?: LogFields): void;
  abstract info(message: string, fields?: LogFields): void;
  abstract warn(message: string, fields?: LogFields): void;
  abstract error(message: string, error: unknown, fields?: LogFields): void;
}
