import { Command, type OptionValues } from '@commander-js/extra-typings';
import type { ApiClient } from '../api/api-client.js';
import { connect, connectionOptions } from '../api/connection.js';
import { pageOptions, type Page, type PageOptions } from '../api/pages.js';
import { examples } from '../shell/help.js';
import { withOptions } from '../shell/options.js';
import { printable } from '../shell/printable.js';
import type { Terminal } from '../shell/terminal.js';
import { splitArguments } from './split-arguments.js';

interface Listing<Arguments extends unknown[], Options extends OptionValues, Item> {
  /** With its name, its meaning, and what it asks for beside the page and the connection. */
  readonly command: Command<Arguments, Options>;
  readonly page: (
    client: ApiClient,
    page: PageOptions,
    options: Options,
    ...given: Arguments
  ) => Promise<Page<Item>>;
  readonly none: string;
  readonly examples: readonly string[];
  readonly lineOf: (item: Item) => string;
}

/** A command that shows so much of a list: a line for each entry, or JSON. That there is more is said beside it. */
export function listCommand<Arguments extends unknown[], Options extends OptionValues, Item>(
  terminal: Terminal,
  { command, page, none, examples: lines, lineOf }: Listing<Arguments, Options, Item>,
) {
  return withOptions(withOptions(command, pageOptions), connectionOptions)
    .addHelpText('after', examples(...lines))
    .action(async (...args: readonly unknown[]) => {
      const { given, options } = splitArguments<Arguments, Options & PageOptions>(args);
      const client = await connect(options, terminal);
      const { details, result = [], nextCursor } = await page(client, options, options, ...given);
      const told = result.length === 0 ? [none] : result.map((item) => printable(lineOf(item)));
      terminal.stdout.write(`${options.json ? JSON.stringify(result) : told.join('\n')}\n`);
      const total = Number(details.totalResult ?? result.length);
      const whole = details.hasMoreThanTotal === true ? `more than ${total}` : String(total);
      const isPart = total > result.length || nextCursor !== undefined;
      if (result.length > 0 && isPart) terminal.stderr.write(`${result.length} of ${whole}\n`);
    });
}
