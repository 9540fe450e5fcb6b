import type { connectionOptions } from '../api/connection.js';

/** Commander passes the arguments, then the options, then the command. */
export function splitArguments<Arguments, Options>(args: readonly unknown[]) {
  return {
    given: args.slice(0, -2) as Arguments & unknown[],
    options: args.at(-2) as Options & ReturnType<typeof connectionOptions.opts>,
  };
}
